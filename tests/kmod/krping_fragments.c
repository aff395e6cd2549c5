// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: fragment the free memory of a guest.
 *
 *   insmod krping_fragments.ko keep=32
 *
 * The module allocates single pages until only @keep MiB are free, and then frees 7 of 8 pages. So
 * nearly all free memory consists of blocks of 1, 2 and 4 pages. The kernel cannot compact this
 * memory, because the pages between the blocks are not movable. Unloading the module frees these
 * pages. If all blocks were single pages, slabs could not grow, and the OOM killer would end
 * processes.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

/* Look at the free memory once in this number of allocations. */
#define FRAGMENTS_BATCH	64

static unsigned int keep = 32;
module_param(keep, uint, 0444);

static LIST_HEAD(fragments_pages);

static bool fragments_enough(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram <= (unsigned long)keep << (20 - PAGE_SHIFT);
}

/* Allocate single pages until only @keep MiB are free. */
static void fragments_alloc(void)
{
	struct page *page;
	unsigned int i;

	while (!fragments_enough()) {
		for (i = 0; i < FRAGMENTS_BATCH; i++) {
			page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
			if (!page)
				return;
			list_add(&page->lru, &fragments_pages);
		}
		cond_resched();
	}
}

/* Free 7 of 8 pages, or all. */
static void fragments_free(bool all)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &fragments_pages, lru) {
		if (!all && page_to_pfn(page) % 8 == 0)
			continue;
		list_del(&page->lru);
		__free_page(page);
		cond_resched();
	}
}

static int __init fragments_init(void)
{
	fragments_alloc();
	fragments_free(false);
	return 0;
}

static void __exit fragments_exit(void)
{
	fragments_free(true);
}

module_init(fragments_init);
module_exit(fragments_exit);
MODULE_DESCRIPTION("Fragment the free memory");
MODULE_LICENSE("Dual BSD/GPL");
