/**
 * A link as characters and bytes, side by side, each in a field to edit: 16 characters carry exactly
 * 12 bytes, so a row has both; a narrow page has half as many. Only the rows in sight are in the
 * page, because a link of version 4 can have a hundred thousand bytes. Each strip is one stop of the
 * Tab key; the arrow keys move inside it, and what is typed replaces the cell and moves on.
 */
import type { Field, FieldGroup, Range } from "@game-data/tree-link/layout";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupsOf } from "../model/Groups.ts";

const NARROW = matchMedia("(max-width: 55rem)");
const ROW_HEIGHT = 30;
const SPARE_ROWS = 2;
const VIEW_HEIGHT = 420;

/** What the pointer or the focus is at. What it says is derived anew from the link of the moment. */
export type Active =
  | { readonly side: Side; readonly index: number }
  | { readonly group: FieldGroup; readonly name: string; readonly at: number | undefined };

interface DumpProps {
  readonly payload: string;
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyArray<Field>;
  /** The bits that are lit. */
  readonly lit: Range | undefined;
  readonly onActive: (active: Active | undefined, isFocus?: boolean) => void;
  /** Takes what to say of typing that no cell can hold. */
  readonly onOdd: (message: string) => void;
  readonly onCharacter: (index: number, character: string) => void;
  readonly onByte: (index: number, value: number) => void;
}

/** Whether two ranges have a bit in common. */
export const isOverlapping = (a: Range, b: Range | undefined) =>
  b !== undefined && a.start < b.end && b.start < a.end;

/** Names a field: `hash 3 of hashes`. */
export const nameOf = ({ group, index, name }: Field): string =>
  index === undefined
    ? name === "count"
      ? `count of ${group}`
      : name
    : `${name} ${index + 1} of ${group}`;

/** The strip of a cell. */
export type Side = "characters" | "bytes";
/** What a cell holds. */
const HOLDS = {
  characters: "character of a link: A–Z, a–z, 0–9, - and _",
  bytes: "byte: two digits, each 0–9 or a–f",
} as const;
/** Bits of a cell. */
export const WIDTHS = { characters: 6, bytes: 8 } as const;
const WIDE_ROW = { characters: 16, bytes: 12 } as const;
const NARROW_ROW = { characters: 8, bytes: 6 } as const;

const useRow = () => {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const listen = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", listen);
    return () => NARROW.removeEventListener("change", listen);
  }, []);
  return isNarrow ? NARROW_ROW : WIDE_ROW;
};

const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/** Names a cell and what it holds. */
export const describeCell = (
  side: Side,
  index: number,
  payload: string,
  bytes: Uint8Array,
): string =>
  side === "characters"
    ? `character ${index} “${payload.charAt(index)}”`
    : `byte ${index}, ${hex(bytes[index]!)}`;

/** The cell that an event comes from. One listener serves all cells: there are hundreds. */
const cellOf = (target: EventTarget | null): { side: Side; index: number } | undefined => {
  if (!(target instanceof HTMLElement) || !target.classList.contains("cell")) return undefined;
  const side: Side = target.dataset["bytes"] === undefined ? "characters" : "bytes";
  return { side, index: Number(target.dataset[side]) };
};

/** The rows of a link. */
export const Dump = (props: DumpProps) => {
  const { bytes, fields, lit, onActive, payload } = props;
  const perRow = useRow();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [current, setCurrent] = useState<Record<Side, number>>({ characters: 0, bytes: 0 });
  const [wanted, setWanted] = useState<{ side: Side; index: number }>();
  const counts = { characters: payload.length, bytes: bytes.length };
  const groups = useMemo(
    () => ({
      characters: groupsOf(fields, payload.length, WIDTHS.characters),
      bytes: groupsOf(fields, bytes.length, WIDTHS.bytes),
    }),
    [fields, payload.length, bytes.length],
  );
  const rows = Math.ceil(payload.length / perRow.characters);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(rows, Math.ceil((top + VIEW_HEIGHT) / ROW_HEIGHT) + SPARE_ROWS);

  useEffect(() => {
    if (wanted === undefined) return;
    const { index, side } = wanted;
    const cell = scroller.current?.querySelector(`[data-${side}="${index}"]`);
    if (cell instanceof HTMLInputElement) {
      cell.focus();
      cell.select();
      setWanted(undefined);
    }
  }, [wanted, top]);

  const describe = (side: Side, index: number) => describeCell(side, index, payload, bytes);
  const moveTo = (side: Side, index: number) => {
    const row = Math.floor(index / perRow[side]);
    const view = scroller.current!;
    const isHidden =
      row * ROW_HEIGHT < view.scrollTop ||
      (row + 1) * ROW_HEIGHT > view.scrollTop + view.clientHeight;
    if (isHidden) {
      view.scrollTop = Math.max(0, row * ROW_HEIGHT - ROW_HEIGHT);
      setTop(view.scrollTop);
    }
    const rendered = view.querySelector(`[data-${side}="${index}"]`);
    if (rendered instanceof HTMLInputElement) {
      rendered.focus();
      return rendered.select();
    }
    setCurrent({ ...current, [side]: index });
    setWanted({ side, index });
  };
  const textOf = (side: Side, index: number) =>
    side === "characters" ? payload.charAt(index) : hex(bytes[index]!);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const at = cellOf(event.target);
    if (at === undefined) return;
    const { index, side } = at;
    if (event.key === "Escape" && event.target instanceof HTMLInputElement) {
      event.target.value = textOf(side, index);
      return event.target.select();
    }
    const count = counts[side];
    const next = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index + perRow[side],
      ArrowUp: index - perRow[side],
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next >= 0 && next < count) moveTo(side, next);
  };

  /** Takes what was typed once it is whole; a cell that is left half-typed is as it was. */
  const onInput = ({ target }: { readonly target: EventTarget | null }) => {
    const at = cellOf(target);
    if (at === undefined || !(target instanceof HTMLInputElement)) return;
    const { index, side } = at;
    const isWhole =
      side === "bytes" ? /^[\da-f]{2}$/iu.test(target.value) : /^[\w-]$/u.test(target.value);
    if (!isWhole) {
      const isBegun = side === "bytes" && /^[\da-f]?$/iu.test(target.value);
      if (isBegun) return;
      props.onOdd(`“${target.value}” is no ${HOLDS[side]}.`);
      target.value = textOf(side, index);
      target.select();
      return;
    }
    if (side === "bytes") props.onByte(index, Number.parseInt(target.value, 16));
    else props.onCharacter(index, target.value);
    if (index + 1 < counts[side]) moveTo(side, index + 1);
  };

  const cell = (side: Side, index: number) => {
    const width = WIDTHS[side];
    const bits = { start: index * width, end: (index + 1) * width };
    const group: FieldGroup | "padding" = groups[side][index] ?? "padding";
    // The link may have become shorter since.
    const isStop = index === Math.min(current[side], counts[side] - 1);
    return (
      <input
        key={`${side}${index}`}
        class="cell"
        size={1}
        maxLength={side === "bytes" ? 2 : 1}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={textOf(side, index)}
        data-characters={side === "characters" ? index : undefined}
        data-bytes={side === "bytes" ? index : undefined}
        data-group={group}
        data-lit={isOverlapping(bits, lit)}
        tabIndex={isStop ? 0 : -1}
        aria-label={describe(side, index)}
      />
    );
  };
  const strip = (side: Side, row: number) => {
    const start = row * perRow[side];
    const end = Math.min(start + perRow[side], counts[side]);
    return Array.from({ length: Math.max(0, end - start) }, (_, i) => cell(side, start + i));
  };

  return (
    <div class="dump">
      <div class="dump-head" aria-hidden="true">
        <span>byte</span>
        <span>characters, 6 bits each</span>
        <span>bytes</span>
      </div>
      <div
        ref={scroller}
        class="dump-view"
        role="group"
        aria-label="Characters and bytes"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
        onInput={onInput}
        onFocusOut={({ target }) => {
          const at = cellOf(target);
          if (at !== undefined && target instanceof HTMLInputElement && at.index < counts[at.side])
            target.value = textOf(at.side, at.index);
        }}
        onMouseOver={({ target }) => {
          const at = cellOf(target);
          if (at !== undefined) onActive(at);
        }}
        onFocusIn={({ target }) => {
          const at = cellOf(target);
          if (at === undefined) return;
          if (current[at.side] !== at.index) setCurrent({ ...current, [at.side]: at.index });
          onActive(at, true);
          if (target instanceof HTMLInputElement) target.select();
        }}
        onMouseLeave={() => onActive(undefined)}
      >
        <div style={{ height: `${first * ROW_HEIGHT}px` }} />
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((row) => (
          <div class="dump-row" key={row}>
            <span class="dump-offset">{row * perRow.bytes}</span>
            <span class="dump-cells">{strip("characters", row)}</span>
            <span class="dump-cells">{strip("bytes", row)}</span>
          </div>
        ))}
        <div style={{ height: `${(rows - last) * ROW_HEIGHT}px` }} />
      </div>
    </div>
  );
};
