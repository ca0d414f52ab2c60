/**
 * Shows a link as characters and bytes, side by side, in cells to edit. A row has 16 characters and the
 * 12 bytes that they encode, or half as many on a narrow page. Only visible rows are in the page,
 * because a link of version 4 can have 100,000 bytes. Each strip is one stop of the Tab key. The arrow
 * keys move inside a strip, and typing replaces a cell and moves to the next.
 */
import type { Field, FieldGroup, Range } from "@game-data/tree-link/layout";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupsOf } from "../model/Groups.ts";

const NARROW = matchMedia("(max-width: 45rem)");
const ROW_HEIGHT = 30;
const SPARE_ROWS = 2;
const VIEW_HEIGHT = 420;

/** The cell or field under the pointer, or with the focus if there is no pointer. */
export type Active =
  | { readonly side: Side; readonly index: number }
  | { readonly group: FieldGroup; readonly name: string; readonly at: number | undefined };

interface DumpProps {
  readonly payload: string;
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyArray<Field>;
  /** The bits that are highlighted. */
  readonly lit: Range | undefined;
  readonly onActive: (active: Active | undefined, isFocus?: boolean) => void;
  /** Receives a message if the typed text is not valid for a cell. */
  readonly onOdd: (message: string) => void;
  readonly onCharacter: (index: number, character: string) => void;
  readonly onByte: (index: number, value: number) => void;
}

/** Returns whether two ranges have a bit in common. */
export const isOverlapping = (a: Range, b: Range | undefined) =>
  b !== undefined && a.start < b.end && b.start < a.end;

/** Returns the name of a field, such as `hash 3 of hashes`. */
export const nameOf = ({ group, index, name }: Field): string =>
  index === undefined
    ? name === "count"
      ? `count of ${group}`
      : name
    : `${name} ${index + 1} of ${group}`;

/** The strip that a cell belongs to. */
export type Side = "characters" | "bytes";
/** Names of the valid text of a cell, for messages. */
const HOLDS = {
  characters: "character of a link: A–Z, a–z, 0–9, - and _",
  bytes: "byte: two digits, each 0–9 or a–f",
} as const;
/** Number of bits in a cell. */
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

/** Describes a cell by its position and its value. */
export const describeCell = (
  side: Side,
  index: number,
  payload: string,
  bytes: Uint8Array,
): string =>
  side === "characters"
    ? `character ${index} “${payload.charAt(index)}”`
    : `byte ${index}, ${hex(bytes[index]!)}`;

interface Cell {
  readonly side: Side;
  readonly index: number;
}
interface LiveCell extends Cell {
  readonly input: HTMLInputElement;
}

/** Handles events of cells on their container, because there are hundreds of cells. */
const onCell =
  <E extends Event>(act: (at: LiveCell, event: E) => void) =>
  (event: E) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || !input.classList.contains("cell")) return;
    const side: Side = input.dataset["bytes"] === undefined ? "characters" : "bytes";
    act({ side, index: Number(input.dataset[side]), input }, event);
  };

/** Number of cells per row and in the whole link, by strip. */
interface Shape {
  readonly perRow: Readonly<Record<Side, number>>;
  readonly counts: Readonly<Record<Side, number>>;
}

type Cells = ReturnType<typeof useCells>;

/** Keeps the visible rows, and the cell of each strip at which the Tab key stops. */
const useCells = ({ counts, perRow }: Shape) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [current, setCurrent] = useState<Record<Side, number>>({ characters: 0, bytes: 0 });
  const [wanted, setWanted] = useState<{ side: Side; index: number }>();

  /** Focuses a cell. Returns `false` if the cell is not in the page. */
  const focus = (side: Side, index: number): boolean => {
    const cell = scroller.current?.querySelector(`[data-${side}="${index}"]`);
    if (!(cell instanceof HTMLInputElement)) return false;
    cell.focus();
    cell.select();
    return true;
  };
  useEffect(() => {
    if (wanted !== undefined && focus(wanted.side, wanted.index)) setWanted(undefined);
  }, [wanted, top]);

  const stopAt = (side: Side, index: number) => {
    if (current[side] !== index) setCurrent({ ...current, [side]: index });
  };
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
    if (focus(side, index)) return;
    stopAt(side, index);
    setWanted({ side, index });
  };
  const rows = Math.ceil(counts.characters / perRow.characters);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(rows, Math.ceil((top + VIEW_HEIGHT) / ROW_HEIGHT) + SPARE_ROWS);
  // Limits the position, because an edit may have shortened the link.
  const isStop = (side: Side, index: number) => index === Math.min(current[side], counts[side] - 1);
  return { scroller, setTop, stopAt, isStop, moveTo, rows, first, last };
};

const textOf = ({ bytes, payload }: DumpProps, { index, side }: Cell) =>
  side === "characters" ? payload.charAt(index) : hex(bytes[index]!);

/** Handles the keys of a cell: arrows move the focus, Escape restores the value. */
const keysOn =
  (props: DumpProps, { moveTo }: Cells, { counts, perRow }: Shape) =>
  (at: LiveCell, event: KeyboardEvent) => {
    const { index, input, side } = at;
    if (event.key === "Escape") {
      input.value = textOf(props, at);
      // Clears a message about earlier typed text.
      props.onActive({ side, index }, true);
      return input.select();
    }
    const next = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index + perRow[side],
      ArrowUp: index - perRow[side],
      Home: 0,
      End: counts[side] - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next >= 0 && next < counts[side]) moveTo(side, next);
  };

/** Applies the typed text of a cell once it is complete. Rejects invalid text with a message. */
const typingIn =
  (props: DumpProps, { moveTo }: Cells, { counts }: Shape) =>
  (at: LiveCell) => {
    const { index, input, side } = at;
    const isWhole = (side === "bytes" ? /^[\da-f]{2}$/iu : /^[\w-]$/u).test(input.value);
    if (!isWhole) {
      const isBegun = side === "bytes" && /^[\da-f]?$/iu.test(input.value);
      if (isBegun) return;
      props.onOdd(`“${input.value}” is no ${HOLDS[side]}.`);
      input.value = textOf(props, at);
      input.select();
      return;
    }
    if (side === "bytes") props.onByte(index, Number.parseInt(input.value, 16));
    else props.onCharacter(index, input.value);
    if (index + 1 < counts[side]) moveTo(side, index + 1);
  };

/** Returns the event listeners of the container of all cells. */
const listenersOf = (props: DumpProps, cells: Cells, shape: Shape) => ({
  onKeyDown: onCell(keysOn(props, cells, shape)),
  onInput: onCell(typingIn(props, cells, shape)),
  onFocusOut: onCell((at) => {
    if (at.index < shape.counts[at.side]) at.input.value = textOf(props, at);
  }),
  onMouseOver: onCell((at) => props.onActive(at)),
  onFocusIn: onCell((at) => {
    cells.stopAt(at.side, at.index);
    props.onActive(at, true);
    at.input.select();
  }),
  onMouseLeave: () => props.onActive(undefined),
});

/** Shows the visible rows of a link. */
export const Dump = (props: DumpProps) => {
  const { bytes, fields, payload } = props;
  const perRow = useRow();
  const counts = { characters: payload.length, bytes: bytes.length };
  const shape = { perRow, counts };
  const cells = useCells(shape);
  const { first, last, rows } = cells;
  const groups = useMemo(
    () => ({
      characters: groupsOf(fields, payload.length, WIDTHS.characters),
      bytes: groupsOf(fields, bytes.length, WIDTHS.bytes),
    }),
    [fields, payload.length, bytes.length],
  );
  const strip = (side: Side, row: number) => {
    const start = row * perRow[side];
    const length = Math.max(0, Math.min(perRow[side], counts[side] - start));
    return Array.from({ length }, (_, i) => {
      const index = start + i;
      const group = groups[side][index] ?? "padding";
      return (
        <CellField
          key={index}
          {...props}
          {...{ side, index, group }}
          isStop={cells.isStop(side, index)}
        />
      );
    });
  };
  return (
    <div class="dump">
      <div class="dump-head" aria-hidden="true">
        <span>byte</span>
        <span>characters, 6 bits each</span>
        <span>bytes</span>
      </div>
      <div
        ref={cells.scroller}
        class="dump-view"
        role="group"
        aria-label="Characters and bytes"
        onScroll={(event) => cells.setTop(event.currentTarget.scrollTop)}
        {...listenersOf(props, cells, shape)}
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

const CellField = (
  props: DumpProps & Cell & { readonly group: FieldGroup | "padding"; readonly isStop: boolean },
) => {
  const { bytes, group, index, isStop, lit, payload, side } = props;
  const bits = { start: index * WIDTHS[side], end: (index + 1) * WIDTHS[side] };
  return (
    <input
      class="cell"
      size={1}
      maxLength={side === "bytes" ? 2 : 1}
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      value={textOf(props, props)}
      data-characters={side === "characters" ? index : undefined}
      data-bytes={side === "bytes" ? index : undefined}
      data-group={group}
      data-lit={isOverlapping(bits, lit)}
      tabIndex={isStop ? 0 : -1}
      aria-label={describeCell(side, index, payload, bytes)}
    />
  );
};
