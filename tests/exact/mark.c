// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Run this program in a guest to make the plugin count.c write the counts since the last
 * mark. The mark is a NOP instruction that no compiler emits.
 */
int main(void)
{
	asm volatile("nopl 0x6e70726b(%rax,%rax)");
	return 0;
}
