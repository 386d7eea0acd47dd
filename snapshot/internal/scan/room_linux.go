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

// adviseLarge asks for large pages where memory that was not touched yet holds
// whole ones.
func adviseLarge(b []byte) {
	if skip := beforeLarge(b); len(b) >= skip+largePage {
		_ = unix.Madvise(b[skip:][:(len(b)-skip)&^(largePage-1)], unix.MADV_HUGEPAGE)
	}
}

// beforeLarge is how many bytes lie before a large page can begin.
func beforeLarge(b []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (largePage - 1))
}
