// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Run in a guest, this makes count.c write the counts since the last time. The mark is
 * an instruction without effect that no compiler emits.
 */
int main(void)
{
	asm volatile("nopl 0x6e70726b(%rax,%rax)");
	return 0;
}
