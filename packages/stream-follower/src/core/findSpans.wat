;; Finds the spans of a page as findSpans.ts does, 64 bytes at a time.
;;
;; The page comes in pieces of at most 64 KiB. What a piece leaves open is kept in globals: whether
;; its last byte escapes the next one, whether it ends inside a string, and the open brackets.
;;
;; Memory, in bytes:
;;      0  the open brackets, one byte each: 1 for an object, 0 for an array (1,024 levels)
;;   1024  addresses of the open spans by level, i32 each; 0 for none
;;   1088  the piece, padded with spaces to a multiple of 64
;;  66624  the spans, four i32 each: level, from, to, number (20,412 of them)
(module
  (memory (export "memory") 6 6)
  (global $depth (mut i32) (i32.const 0))
  (global $deepest (mut i32) (i32.const 0))
  (global $escapes (mut i64) (i64.const 0))
  (global $inString (mut i64) (i64.const 0))
  (global $nextSpan (mut i32) (i32.const 0))

  ;; Begins a page.
  (func (export "begin")
    (global.set $depth (i32.const 0))
    (global.set $escapes (i64.const 0))
    (global.set $inString (i64.const 0))
    (global.set $nextSpan (i32.const 66624))
    (v128.store (i32.const 1024) (v128.const i32x4 0 0 0 0)))

  ;; Ends a page: the number of its spans; -1 if a bracket or a string is open.
  (func (export "end") (result i32)
    (if (i32.or (global.get $depth) (i64.ne (global.get $inString) (i64.const 0)))
      (then (return (i32.const -1))))
    (i32.shr_u (i32.sub (global.get $nextSpan) (i32.const 66624)) (i32.const 4)))

  ;; A bracket opens at a depth of 0 to 4. 0: go on; otherwise as `scan`.
  (func $opens (param $depth i32) (param $isObject i32) (param $from i32) (result i32)
    (local $span i32) (local $slot i32)
    (local.set $slot (i32.shl (local.get $depth) (i32.const 2)))
    ;; An element of an array of a change is counted.
    (if (i32.eq (local.get $depth) (i32.const 4))
      (then
        (local.set $span (i32.load (i32.const 1036)))
        (if (local.get $span)
          (then (i32.store offset=12 (local.get $span)
            (i32.add (i32.load offset=12 (local.get $span)) (i32.const 1)))))
        (return (i32.const 0))))
    ;; The page is an object.
    (if (i32.eqz (local.get $depth)) (then (return (i32.eqz (local.get $isObject)))))
    ;; Spans are an array of the page, an object in it, and an array of that.
    (if (i32.ne (local.get $isObject) (i32.eq (local.get $depth) (i32.const 2)))
      (then (return (i32.const 0))))
    (if (i32.and
          (i32.ne (local.get $depth) (i32.const 1))
          (i32.eqz (i32.load offset=1020 (local.get $slot))))
      (then (return (i32.const 0))))
    (local.set $span (global.get $nextSpan))
    (if (i32.eq (local.get $span) (i32.const 393216)) (then (return (i32.const 2))))
    (i32.store (local.get $span) (local.get $depth))
    (i32.store offset=4 (local.get $span) (local.get $from))
    (i32.store offset=8 (local.get $span) (local.get $from))
    (i32.store offset=12 (local.get $span) (i32.const 0))
    (i32.store offset=1024 (local.get $slot) (local.get $span))
    (global.set $nextSpan (i32.add (local.get $span) (i32.const 16)))
    (i32.const 0))

  ;; A bracket closes at a depth of 0 to 3.
  (func $closes (param $depth i32) (param $to i32) (param $deepest i32)
    (local $span i32) (local $slot i32)
    (local.set $slot (i32.shl (local.get $depth) (i32.const 2)))
    (local.set $span (i32.load offset=1024 (local.get $slot)))
    (if (local.get $span)
      (then
        (i32.store offset=8 (local.get $span) (local.get $to))
        (i32.store offset=1024 (local.get $slot) (i32.const 0))
        (if (i32.eq (local.get $depth) (i32.const 2))
          (then (i32.store offset=12 (local.get $span)
            (i32.sub (local.get $deepest) (i32.const 2))))))))

  ;; Scans a piece of $length bytes, padding included, which begins at $base in the page.
  ;; 0: go on; 1: the walk would give up; 2: the walk has to decide.
  (func (export "scan") (param $length i32) (param $base i32) (result i32)
    (local $at i32) (local $stop i32) (local $place i32) (local $byte i32) (local $outcome i32)
    (local $depth i32) (local $deepest i32) (local $isObject i32)
    (local $escapes i64) (local $inString i64)
    (local $quotes i64) (local $backslashes i64) (local $codes i64) (local $brackets i64)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $quote v128) (local $backslash v128) (local $space v128)
    (local $opening v128) (local $closing v128)
    (local.set $quote (i8x16.splat (i32.const 0x22)))
    (local.set $backslash (i8x16.splat (i32.const 0x5c)))
    (local.set $space (i8x16.splat (i32.const 0x20)))
    (local.set $opening (i8x16.splat (i32.const 0x7b)))
    (local.set $closing (i8x16.splat (i32.const 0x7d)))
    (local.set $depth (global.get $depth))
    (local.set $deepest (global.get $deepest))
    (local.set $escapes (global.get $escapes))
    (local.set $inString (global.get $inString))
    (local.set $at (i32.const 1088))
    (local.set $stop (i32.add (local.get $at) (local.get $length)))
    (local.set $base (i32.sub (local.get $base) (local.get $at)))
    (loop $block
      (local.set $a (v128.load (local.get $at)))
      (local.set $b (v128.load offset=16 (local.get $at)))
      (local.set $c (v128.load offset=32 (local.get $at)))
      (local.set $d (v128.load offset=48 (local.get $at)))

      ;; Quotes: one bit for each byte of the block.
      (local.set $quotes
        (i64.or
          (i64.or
            (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (local.get $quote))))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (local.get $quote)))) (i64.const 16)))
          (i64.or
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (local.get $quote)))) (i64.const 32))
            (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (local.get $quote)))) (i64.const 48)))))

      ;; Escaped quotes are dropped. Backslashes are rare.
      (local.set $backslashes (i64.const 0))
      (if (i32.or
            (v128.any_true
              (v128.or
                (v128.or
                  (i8x16.eq (local.get $a) (local.get $backslash))
                  (i8x16.eq (local.get $b) (local.get $backslash)))
                (v128.or
                  (i8x16.eq (local.get $c) (local.get $backslash))
                  (i8x16.eq (local.get $d) (local.get $backslash)))))
            (i64.ne (local.get $escapes) (i64.const 0)))
        (then
          (local.set $backslashes
            (i64.or
              (i64.or
                (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (local.get $backslash))))
                (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (local.get $backslash)))) (i64.const 16)))
              (i64.or
                (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (local.get $backslash)))) (i64.const 32))
                (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (local.get $backslash)))) (i64.const 48)))))
          ;; Subtracting the backslashes that are not escaped from what follows them carries
          ;; through a run of them: it tells the odd ones from the even ones.
          (local.set $codes
            (i64.and (local.get $backslashes) (i64.xor (local.get $escapes) (i64.const -1))))
          (local.set $codes
            (i64.xor
              (i64.sub
                (i64.or
                  (i64.shl (local.get $codes) (i64.const 1))
                  (i64.const 0xaaaaaaaaaaaaaaaa))
                (local.get $codes))
              (i64.const 0xaaaaaaaaaaaaaaaa)))
          (local.set $quotes
            (i64.and
              (local.get $quotes)
              (i64.xor
                (i64.xor
                  (local.get $codes)
                  (i64.or (local.get $backslashes) (local.get $escapes)))
                (i64.const -1))))
          (local.set $escapes
            (i64.shr_u
              (i64.and (local.get $codes) (local.get $backslashes))
              (i64.const 63)))))

      ;; From quotes to strings: each bit becomes the parity of the bits up to it.
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 1))))
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 2))))
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 4))))
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 8))))
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 16))))
      (local.set $quotes
        (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 32))))
      (local.set $quotes (i64.xor (local.get $quotes) (local.get $inString)))
      (local.set $inString (i64.shr_s (local.get $quotes) (i64.const 63)))
      (local.set $quotes (i64.xor (local.get $quotes) (i64.const -1)))
      ;; Outside of strings a backslash escapes nothing, and no JSON has one.
      (if (i64.ne (i64.and (local.get $backslashes) (local.get $quotes)) (i64.const 0))
        (then (return (i32.const 2))))

      ;; A control character in a string: the walk finds the change that holds it.
      (if (v128.any_true
            (v128.or
              (v128.or
                (i8x16.lt_u (local.get $a) (local.get $space))
                (i8x16.lt_u (local.get $b) (local.get $space)))
              (v128.or
                (i8x16.lt_u (local.get $c) (local.get $space))
                (i8x16.lt_u (local.get $d) (local.get $space)))))
        (then
          (if (i64.ne
                (i64.and
                  (i64.xor (local.get $quotes) (i64.const -1))
                  (i64.or
                    (i64.or
                      (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (local.get $a) (local.get $space))))
                      (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (local.get $b) (local.get $space)))) (i64.const 16)))
                    (i64.or
                      (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (local.get $c) (local.get $space)))) (i64.const 32))
                      (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.lt_u (local.get $d) (local.get $space)))) (i64.const 48)))))
                (i64.const 0))
            (then (return (i32.const 2))))))

      ;; Brackets outside of strings. The bit of a space makes braces of square brackets.
      (local.set $a (v128.or (local.get $a) (local.get $space)))
      (local.set $b (v128.or (local.get $b) (local.get $space)))
      (local.set $c (v128.or (local.get $c) (local.get $space)))
      (local.set $d (v128.or (local.get $d) (local.get $space)))
      (local.set $brackets
        (i64.and
          (local.get $quotes)
          (i64.or
            (i64.or
              (i64.extend_i32_u (i8x16.bitmask 
              (v128.or
                (i8x16.eq (local.get $a) (local.get $opening))
                (i8x16.eq (local.get $a) (local.get $closing)))))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask 
              (v128.or
                (i8x16.eq (local.get $b) (local.get $opening))
                (i8x16.eq (local.get $b) (local.get $closing))))) (i64.const 16)))
            (i64.or
              (i64.shl (i64.extend_i32_u (i8x16.bitmask 
              (v128.or
                (i8x16.eq (local.get $c) (local.get $opening))
                (i8x16.eq (local.get $c) (local.get $closing))))) (i64.const 32))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask 
              (v128.or
                (i8x16.eq (local.get $d) (local.get $opening))
                (i8x16.eq (local.get $d) (local.get $closing))))) (i64.const 48))))))

      (block $noBrackets
        (loop $bracket
          (br_if $noBrackets (i64.eqz (local.get $brackets)))
          (local.set $place
            (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $brackets)))))
          (local.set $brackets
            (i64.and (local.get $brackets) (i64.sub (local.get $brackets) (i64.const 1))))
          (local.set $byte (i32.load8_u (local.get $place)))
          (local.set $place (i32.add (local.get $place) (local.get $base)))
          ;; `{` 0x7b and `}` 0x7d have the bit 0x20; `{` and `[` 0x5b have the bit 0x02.
          (local.set $isObject
            (i32.and (i32.shr_u (local.get $byte) (i32.const 5)) (i32.const 1)))
          (if (i32.and (local.get $byte) (i32.const 0x02))
            (then
              (if (i32.le_u (local.get $depth) (i32.const 4))
                (then
                  (local.set $outcome
                    (call $opens (local.get $depth) (local.get $isObject) (local.get $place)))
                  (if (local.get $outcome) (then (return (local.get $outcome))))
                  ;; The depth of a change is counted anew.
                  (if (i32.eq (local.get $depth) (i32.const 2))
                    (then (local.set $deepest (i32.const 0)))))
                (else
                  (if (i32.eq (local.get $depth) (i32.const 1024))
                    (then (return (i32.const 2))))))
              (i32.store8 (local.get $depth) (local.get $isObject))
              (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
              (if (i32.gt_u (local.get $depth) (local.get $deepest))
                (then (local.set $deepest (local.get $depth)))))
            (else
              (if (i32.eqz (local.get $depth)) (then (return (i32.const 1))))
              (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
              (if (i32.ne (i32.load8_u (local.get $depth)) (local.get $isObject))
                (then (return (i32.const 1))))
              (if (i32.le_u (local.get $depth) (i32.const 3))
                (then
                  (call $closes
                    (local.get $depth)
                    (i32.add (local.get $place) (i32.const 1))
                    (local.get $deepest))))))
          (br $bracket)))

      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $block (i32.lt_u (local.get $at) (local.get $stop))))
    (global.set $depth (local.get $depth))
    (global.set $deepest (local.get $deepest))
    (global.set $escapes (local.get $escapes))
    (global.set $inString (local.get $inString))
    (i32.const 0)))
