//go:build !linux && !darwin && !windows

package repo

func machineID() string { return "" }
