package main

import "testing"

func TestTurnNumbers(t *testing.T) {
	for _, tt := range []struct {
		list []int
		want string
	}{
		{nil, ""},
		{[]int{7}, "7"},
		{[]int{4, 3, 2, 1}, "4, 3, 2, 1"},
		{[]int{300, 299, 298, 297, 296, 20, 18, 17, 9, 8, 7, 6, 5, 4}, "300 to 296, 20, 18, 17, 9 to 4"},
		{[]int{1, 2, 3, 4, 5}, "1, 2, 3, 4, 5"}, // not the newest first
	} {
		if got := turnNumbers(tt.list); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.list, got, tt.want)
		}
	}
}
