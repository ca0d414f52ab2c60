/**
 * A link as characters and bytes, side by side: 16 characters carry exactly 12 bytes, so a row has
 * both. Only the rows in sight are in the page, because a link of version 4 can have a hundred
 * thousand bytes. Each strip is one stop of the Tab key; the arrow keys move inside it.
 */
import type { Field, FieldGroup, Range } from "@game-data/tree-link/layout";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupsOf } from "../model/Groups.ts";

const CHARACTERS = 16;
const BYTES = 12;
const ROW_HEIGHT = 30;
const SPARE_ROWS = 2;
const VIEW_HEIGHT = 420;

/** A run of bits that is lit. */
export interface Active {
  readonly bits: Range;
  readonly text: string;
}

interface DumpProps {
  readonly payload: string;
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyArray<Field>;
  readonly active: Active | undefined;
  readonly onActive: (active: Active | undefined) => void;
}

const isOverlapping = (a: Range, b: Range | undefined) =>
  b !== undefined && a.start < b.end && b.start < a.end;

/** Names a field: `hash 3 of hashes`. */
export const nameOf = ({ group, index, name }: Field): string =>
  index === undefined
    ? name === "count"
      ? `count of ${group}`
      : name
    : `${name} ${index + 1} of ${group}`;

type Side = "characters" | "bytes";
const WIDTHS = { characters: 6, bytes: 8 } as const;
const PER_ROW = { characters: CHARACTERS, bytes: BYTES } as const;

/** The cell that an event comes from. One listener serves all cells: there are hundreds. */
const cellOf = (target: EventTarget | null): { side: Side; index: number } | undefined => {
  if (!(target instanceof HTMLElement) || !target.classList.contains("cell")) return undefined;
  const side: Side = target.dataset["bytes"] === undefined ? "characters" : "bytes";
  return { side, index: Number(target.dataset[side]) };
};

/** The rows of a link. */
export const Dump = ({ active, bytes, fields, onActive, payload }: DumpProps) => {
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
  const rows = Math.ceil(payload.length / CHARACTERS);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(rows, Math.ceil((top + VIEW_HEIGHT) / ROW_HEIGHT) + SPARE_ROWS);

  useEffect(() => {
    if (wanted === undefined) return;
    const { index, side } = wanted;
    const cell = scroller.current?.querySelector(`[data-${side}="${index}"]`);
    if (cell instanceof HTMLElement) {
      cell.focus();
      setWanted(undefined);
    }
  }, [wanted, top]);

  const describe = (side: Side, index: number) =>
    side === "characters"
      ? `character ${index} “${payload[index]}”`
      : `byte ${index}, ${bytes[index]!.toString(16).padStart(2, "0")}`;
  const light = (side: Side, index: number) => {
    const width = WIDTHS[side];
    const bits = { start: index * width, end: (index + 1) * width };
    const within = fields.filter((field) => isOverlapping(bits, field.bits)).map(nameOf);
    onActive({ bits, text: `${describe(side, index)}: ${within.join(", ") || "padding"}` });
  };
  const moveTo = (side: Side, index: number) => {
    const row = Math.floor(index / PER_ROW[side]);
    const view = scroller.current!;
    const isHidden =
      row * ROW_HEIGHT < view.scrollTop ||
      (row + 1) * ROW_HEIGHT > view.scrollTop + view.clientHeight;
    if (isHidden) {
      view.scrollTop = Math.max(0, row * ROW_HEIGHT - ROW_HEIGHT);
      setTop(view.scrollTop);
    }
    const rendered = view.querySelector(`[data-${side}="${index}"]`);
    if (rendered instanceof HTMLElement) return rendered.focus();
    setCurrent({ ...current, [side]: index });
    setWanted({ side, index });
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const at = cellOf(event.target);
    if (at === undefined) return;
    const { index, side } = at;
    const count = counts[side];
    const next = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index + PER_ROW[side],
      ArrowUp: index - PER_ROW[side],
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next >= 0 && next < count) moveTo(side, next);
  };

  const cell = (side: Side, index: number) => {
    const width = WIDTHS[side];
    const bits = { start: index * width, end: (index + 1) * width };
    const group: FieldGroup | "padding" = groups[side][index] ?? "padding";
    // The link may have become shorter since.
    const isStop = index === Math.min(current[side], counts[side] - 1);
    return (
      <button
        type="button"
        key={index}
        class="cell"
        data-characters={side === "characters" ? index : undefined}
        data-bytes={side === "bytes" ? index : undefined}
        data-group={group}
        data-lit={isOverlapping(bits, active?.bits)}
        tabIndex={isStop ? 0 : -1}
        aria-label={describe(side, index)}
      >
        {side === "characters" ? payload[index] : bytes[index]!.toString(16).padStart(2, "0")}
      </button>
    );
  };
  const strip = (side: Side, row: number) => {
    const start = row * PER_ROW[side];
    const end = Math.min(start + PER_ROW[side], counts[side]);
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
        onMouseOver={({ target }) => {
          const at = cellOf(target);
          if (at !== undefined) light(at.side, at.index);
        }}
        onFocusIn={({ target }) => {
          const at = cellOf(target);
          if (at === undefined) return;
          if (current[at.side] !== at.index) setCurrent({ ...current, [at.side]: at.index });
          light(at.side, at.index);
        }}
        onMouseLeave={() => onActive(undefined)}
      >
        <div style={{ height: `${first * ROW_HEIGHT}px` }} />
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((row) => (
          <div class="dump-row" key={row}>
            <span class="dump-offset">{row * BYTES}</span>
            <span class="dump-cells">{strip("characters", row)}</span>
            <span class="dump-cells">{strip("bytes", row)}</span>
          </div>
        ))}
        <div style={{ height: `${(rows - last) * ROW_HEIGHT}px` }} />
      </div>
    </div>
  );
};
