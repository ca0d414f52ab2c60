// Runs the decode cases of `tree-link.json` against a minimal decoder in Go.
//
//	cd vectors/runners/go && go run . ../..
//
// The decoder shares nothing with the package. Needs Go 1.19 or newer and no module.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode/utf16"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

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
	Hashes              *numbers   `json:"hashes,omitempty"`
	ExtendedHashes      *numbers   `json:"extendedHashes,omitempty"`
	Masteries           *masteries `json:"masteries,omitempty"`
}

// decodeText returns the bytes of canonical base64url, and whether it is that.
func decodeText(units []uint16) ([]byte, bool) {
	end := len(units)
	for end > 0 && units[end-1] == '=' {
		end--
	}
	padding := len(units) - end
	if padding > 2 || padding > 0 && len(units)%4 != 0 {
		return nil, false
	}
	data := []byte{}
	held, bits := 0, 0
	for _, unit := range units[:end] {
		value := -1
		if unit < 128 {
			value = strings.IndexByte(alphabet, byte(unit))
		}
		if value < 0 {
			return nil, false
		}
		held = held<<6 | value
		bits += 6
		if bits >= 8 {
			bits -= 8
			data = append(data, byte(held>>bits))
			held &= 1<<bits - 1
		}
	}
	return data, bits < 6 && held == 0
}

func decodeBytes(data []byte) (*link, bool) {
	size := len(data)
	if size < 7 || data[0] != 0 || data[1] != 0 || data[2] != 0 || data[3] < 4 || data[3] > 6 {
		return nil, false
	}
	version := int(data[3])
	result := &link{Version: version, Class: int(data[4]), Ascendancy: int(data[5])}
	if version == 6 {
		second := result.Ascendancy >> 2
		result.Ascendancy &= 3
		result.AlternateAscendancy = &second
	}
	uint16s := func(at, count int) *numbers {
		list := make(numbers, count)
		for i := range list {
			list[i] = int(data[at+2*i])<<8 | int(data[at+2*i+1])
		}
		return &list
	}
	if version == 4 {
		fullscreen := int(data[6])
		if fullscreen > 1 || size%2 == 0 {
			return nil, false
		}
		result.Fullscreen = &fullscreen
		result.Hashes = uint16s(7, (size-7)/2)
		return result, true
	}
	at := 6
	list := func(width int) (*numbers, bool) {
		if at >= size || at+1+int(data[at])*width*2 > size {
			return nil, false
		}
		numbers := uint16s(at+1, int(data[at])*width)
		at += 1 + 2*len(*numbers)
		return numbers, true
	}
	var isWhole bool
	if result.Hashes, isWhole = list(1); !isWhole {
		return nil, false
	}
	if result.ExtendedHashes, isWhole = list(1); !isWhole {
		return nil, false
	}
	if version == 6 {
		numbers, isWhole := list(2)
		if !isWhole {
			return nil, false
		}
		pairs := make(masteries, len(*numbers)/2)
		for i := range pairs {
			pairs[i] = mastery{Effect: (*numbers)[2*i], Node: (*numbers)[2*i+1]}
		}
		result.Masteries = &pairs
	}
	return result, at == size
}

func decode(units []uint16) *link {
	data, isText := decodeText(units)
	if !isText {
		return nil
	}
	result, isLink := decodeBytes(data)
	if !isLink {
		return nil
	}
	return result
}

type run struct {
	Count, First, Step int
}

func (one run) numbers() []int {
	list := make([]int, one.Count)
	for i := range list {
		list[i] = (one.First + i*one.Step) % 65536
	}
	return list
}

// numbers is a list of numbers that may be written as a run.
type numbers []int

func (list *numbers) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]int)(list))
	}
	var one run
	err := json.Unmarshal(raw, &one)
	*list = one.numbers()
	return err
}

// masteries is a list of masteries that may be written as a run of nodes.
type masteries []mastery

func (list *masteries) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]mastery)(list))
	}
	var one run
	err := json.Unmarshal(raw, &one)
	*list = masteries{}
	for _, node := range one.numbers() {
		*list = append(*list, mastery{Node: node, Effect: 65535 - node})
	}
	return err
}

type vector struct {
	Id, Note, Direction, Result string
	Payload                     json.RawMessage
	Link                        json.RawMessage
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
	content, err := os.ReadFile(filepath.Join(folder, "tree-link.json"))
	if err != nil {
		exit("%v", err)
	}
	var file struct {
		Format int
		Cases  []vector
	}
	if err := json.Unmarshal(content, &file); err != nil || file.Format != 2 {
		exit("tree-link.json: unknown format (%v)", err)
	}
	count := 0
	for _, one := range file.Cases {
		if one.Direction == "encode" {
			continue
		}
		count++
		found := decode(unquote(one.Payload))
		if found == nil && one.Result != "valid" {
			continue
		}
		var expected link
		if one.Result == "invalid" || json.Unmarshal(one.Link, &expected) != nil ||
			!reflect.DeepEqual(found, &expected) {
			exit("%s: %s Found %v.", one.Id, one.Note, found)
		}
	}
	fmt.Printf("go: %d cases pass, %d of encode are not run\n", count, len(file.Cases)-count)
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
