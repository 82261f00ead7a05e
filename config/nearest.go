package config

// nearest returns the name that word most likely is a misspelling of, or "".
func nearest(word string, names []string) string {
	best, found := 3, "" // more than two edits are another word
	if len(word) > 64 {
		return ""
	}
	for _, name := range names {
		if d := distance(word, name); d < best && d < len(name) {
			best, found = d, name
		}
	}
	return found
}

// distance is the number of bytes to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
