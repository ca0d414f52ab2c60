// Runs the vectors of valid and refused links against a minimal decoder in Go.
//
//	cd vectors/runners/go && go run . ../..
//
// The decoder shares nothing with the package: it shows what a reader of the files has to do. Needs
// Go 1.19 or newer and no module.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode/utf16"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

type failure struct {
	Reason string `json:"reason"`
	Unit   string `json:"unit"`
	Offset int    `json:"offset"`
	Field  string `json:"field,omitempty"`
}

type mastery struct {
	Node   int `json:"node"`
	Effect int `json:"effect"`
}

// Lists are pointers: a version without a list has none, which is not the same as an empty one.
type link struct {
	Version             int        `json:"version"`
	Class               int        `json:"class"`
	Ascendancy          int        `json:"ascendancy"`
	AlternateAscendancy *int       `json:"alternateAscendancy,omitempty"`
	Fullscreen          *int       `json:"fullscreen,omitempty"`
	Hashes              *[]int     `json:"hashes,omitempty"`
	ExtendedHashes      *[]int     `json:"extendedHashes,omitempty"`
	Masteries           *[]mastery `json:"masteries,omitempty"`
}

func inBytes(reason string, offset int, field string) *failure {
	return &failure{reason, "byte", offset, field}
}

func inText(reason string, offset int, field string) *failure {
	return &failure{reason, "character", offset, field}
}

func decodeText(units []uint16) ([]byte, *failure) {
	end := 0
	data := []byte{}
	held, bits := 0, 0
	for ; end < len(units); end++ {
		value := -1
		if units[end] < 128 {
			value = strings.IndexByte(alphabet, byte(units[end]))
		}
		if value < 0 {
			break
		}
		held = held<<6 | value
		bits += 6
		if bits >= 8 {
			bits -= 8
			data = append(data, byte(held>>bits))
			held &= 1<<bits - 1
		}
	}
	tail := units[end:]
	if len(tail) > 0 && tail[0] != '=' {
		return nil, inText("invalid-character", end, "")
	}
	if len(tail) == 0 && (bits == 6 || held != 0) {
		// Cut off inside a byte, if the whole bytes before it are no link.
		if _, failed := decodeBytes(data); failed != nil && failed.Reason == "truncated" {
			return nil, inText("truncated", end, failed.Field)
		}
	}
	if bits == 6 {
		return nil, inText("invalid-length", end-1, "")
	}
	isPadding := len(tail) == 1 || len(tail) == 2 && tail[1] == '='
	if len(tail) > 0 && (!isPadding || len(units)%4 != 0) {
		return nil, inText("invalid-padding", end, "")
	}
	if held != 0 {
		return nil, inText("non-zero-tail-bits", end-1, "")
	}
	return data, nil
}

func decodeBytes(data []byte) (*link, *failure) {
	size := len(data)
	if size < 4 {
		return nil, inBytes("truncated", size, "version")
	}
	version := uint(data[0])<<24 | uint(data[1])<<16 | uint(data[2])<<8 | uint(data[3])
	if version < 4 || version > 6 {
		return nil, inBytes("unknown-version", 0, "version")
	}
	if size < 5 {
		return nil, inBytes("truncated", size, "class")
	}
	if size < 6 {
		return nil, inBytes("truncated", size, "ascendancy")
	}
	result := &link{Version: int(version), Class: int(data[4]), Ascendancy: int(data[5])}
	if version == 6 {
		second := result.Ascendancy >> 2
		result.Ascendancy &= 3
		result.AlternateAscendancy = &second
	}
	uint16s := func(at, count int) *[]int {
		list := make([]int, count)
		for i := range list {
			list[i] = int(data[at+2*i])<<8 | int(data[at+2*i+1])
		}
		return &list
	}
	if version == 4 {
		if size < 7 {
			return nil, inBytes("truncated", size, "fullscreen")
		}
		fullscreen := int(data[6])
		if fullscreen > 1 {
			return nil, inBytes("invalid-fullscreen", 6, "fullscreen")
		}
		if size%2 == 0 {
			return nil, inBytes("odd-tail", size-1, "hashes")
		}
		result.Fullscreen = &fullscreen
		result.Hashes = uint16s(7, (size-7)/2)
		return result, nil
	}
	at := 6
	list := func(field string, width int) (int, *failure) {
		if at >= size || at+1+int(data[at])*width > size {
			return 0, inBytes("truncated", size, field)
		}
		count := int(data[at])
		at++
		return count, nil
	}
	count, failed := list("hashes", 2)
	if failed != nil {
		return nil, failed
	}
	result.Hashes = uint16s(at, count)
	at += 2 * count
	if count, failed = list("extendedHashes", 2); failed != nil {
		return nil, failed
	}
	result.ExtendedHashes = uint16s(at, count)
	at += 2 * count
	if version == 6 {
		if count, failed = list("masteries", 4); failed != nil {
			return nil, failed
		}
		numbers := *uint16s(at, 2*count)
		masteries := make([]mastery, count)
		for i := range masteries {
			masteries[i] = mastery{Effect: numbers[2*i], Node: numbers[2*i+1]}
		}
		result.Masteries = &masteries
		at += 4 * count
	}
	if at < size {
		return nil, inBytes("trailing-bytes", at, "")
	}
	return result, nil
}

func decode(units []uint16) (*link, *failure) {
	data, failed := decodeText(units)
	if failed != nil {
		return nil, failed
	}
	return decodeBytes(data)
}

func read(folder, name string, cases any) {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		exit("%v", err)
	}
	file := struct {
		Format int             `json:"format"`
		Count  int             `json:"count"`
		Cases  json.RawMessage `json:"cases"`
	}{}
	if err := json.Unmarshal(content, &file); err != nil || file.Format != 1 {
		exit("%s: unknown format (%v)", name, err)
	}
	if err := json.Unmarshal(file.Cases, cases); err != nil {
		exit("%s: %v", name, err)
	}
	if reflect.ValueOf(cases).Elem().Len() != file.Count {
		exit("%s: cases are missing", name)
	}
}

func exit(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func main() {
	folder := "../.."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	var valid []struct {
		Id, Why, Payload, Unpadded, Bytes string
		Link                              link
	}
	read(folder, "valid.json", &valid)
	for _, one := range valid {
		for _, payload := range []string{one.Payload, one.Unpadded} {
			units := utf16.Encode([]rune(payload))
			data, failed := decodeText(units)
			if failed != nil || hex.EncodeToString(data) != one.Bytes {
				exit("%s: %s Refused: %v", one.Id, one.Why, failed)
			}
			found, failed := decodeBytes(data)
			if failed != nil || !reflect.DeepEqual(*found, one.Link) {
				exit("%s: %s Refused: %v", one.Id, one.Why, failed)
			}
		}
	}
	var refused []struct {
		Id, Why string
		Payload json.RawMessage
		Error   failure
	}
	read(folder, "refused.json", &refused)
	for _, one := range refused {
		_, failed := decode(unquote(one.Payload))
		if failed == nil || *failed != one.Error {
			exit("%s: %s Found %v, expected %v.", one.Id, one.Why, failed, one.Error)
		}
	}
	fmt.Printf("go: %d cases pass\n", len(valid)+len(refused))
}

// unquote reads a JSON string as UTF-16: Go's own decoder replaces lone surrogates.
func unquote(raw []byte) []uint16 {
	units := []uint16{}
	text := []rune(string(raw[1 : len(raw)-1]))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			units = append(units, utf16.Encode([]rune{text[i]})...)
			continue
		}
		i++
		switch text[i] {
		case 'u':
			var code uint16
			fmt.Sscanf(string(text[i+1:i+5]), "%04x", &code)
			units = append(units, code)
			i += 4
		case 'n':
			units = append(units, '\n')
		case 't':
			units = append(units, '\t')
		case 'r':
			units = append(units, '\r')
		case 'b':
			units = append(units, '\b')
		case 'f':
			units = append(units, '\f')
		default:
			units = append(units, uint16(text[i]))
		}
	}
	return units
}
