package scan

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const largePage = 2 << 20

// mapLarge returns zero bytes that begin with a large page, outside of Go's heap,
// and what gives them back; nil if there are none. A system without large pages
// gives small ones.
func mapLarge(n int) (b []byte, unmap func()) {
	n = (n + largePage - 1) &^ (largePage - 1)
	// What lies before the first large page is never touched.
	all, err := unix.Mmap(-1, 0, n+largePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil
	}
	_ = unix.Madvise(all, unix.MADV_HUGEPAGE)
	return all[beforeLarge(all):][:n:n], func() { _ = unix.Munmap(all) }
}

// inLargePages returns zero bytes of Go's heap in large pages that hold nothing else.
// What is around them is not touched, as long as the heap never held anything there.
func inLargePages(n int) []byte {
	whole := (n + largePage - 1) &^ (largePage - 1)
	b := make([]byte, whole+largePage)
	b = b[beforeLarge(b):][:whole]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	return b[:n:n]
}

// beforeLarge is how many bytes lie before a large page can begin.
func beforeLarge(b []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (largePage - 1))
}
