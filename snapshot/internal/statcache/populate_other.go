//go:build unix && !linux

package statcache

const populate = 0
