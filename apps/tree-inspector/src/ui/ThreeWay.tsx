/**
 * The three-way view: characters ↔ bytes ↔ fields. Whatever is hovered or focused lights what
 * shares bits with it in the other two.
 *
 * Each of the two strips is one stop of the Tab key; the arrow keys move inside it.
 */
import type { Field, Layout, Range } from "@game-data/tree-link/layout";
import type { TargetedKeyboardEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { groupsOf } from "../model/Groups.ts";
import { FieldTable, type FieldActions } from "./FieldTable.tsx";

const BITS_PER_CHARACTER = 6;
const BITS_PER_BYTE = 8;

/** A run of bits that is lit, and what it is in words. */
export interface Active {
  readonly bits: Range;
  readonly text: string;
}

const overlaps = (a: Range, b: Range | undefined) =>
  b !== undefined && a.start < b.end && b.start < a.end;
const unit = (index: number, width: number): Range => ({
  start: index * width,
  end: (index + 1) * width,
});

/** A field in words: `hash 3 of hashes`. */
const nameOf = ({ group, index, name }: Field): string =>
  index === undefined
    ? name === "count"
      ? `count of ${group}`
      : name
    : `${name} ${index + 1} of ${group}`;

interface StripProps {
  readonly label: string;
  readonly cells: ReadonlyArray<string>;
  readonly width: number;
  readonly describe: (index: number, text: string) => string;
  readonly fields: ReadonlyArray<Field>;
  readonly active: Active | undefined;
  readonly onActive: (active: Active | undefined) => void;
}

const Strip = ({ active, cells, describe, fields, label, onActive, width }: StripProps) => {
  const [current, setCurrent] = useState(0);
  const groups = useMemo(
    () => groupsOf(fields, cells.length, width),
    [fields, cells.length, width],
  );
  const light = (index: number) => {
    const bits = unit(index, width);
    const within = fields.filter((field) => overlaps(bits, field.bits)).map(nameOf);
    onActive({
      bits,
      text: `${describe(index, cells[index]!)}: ${within.join(", ") || "padding"}`,
    });
  };
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -cells.length, End: cells.length }[
      event.key
    ];
    if (step === undefined) return;
    event.preventDefault();
    const last = cells.length - 1;
    // The link may have become shorter since.
    const next = Math.min(Math.max(Math.min(current, last) + step, 0), last);
    setCurrent(next);
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <section>
      <h3>{label}</h3>
      <div
        class="strip"
        role="group"
        aria-label={label}
        onKeyDown={move}
        onMouseLeave={() => onActive(undefined)}
      >
        {cells.map((cell, index) => {
          const bits = unit(index, width);
          return (
            <button
              type="button"
              key={index}
              class="cell"
              data-group={groups[index]}
              data-lit={overlaps(bits, active?.bits)}
              tabIndex={index === Math.min(current, cells.length - 1) ? 0 : -1}
              aria-label={describe(index, cell)}
              onMouseEnter={() => light(index)}
              onFocus={() => {
                setCurrent(index);
                light(index);
              }}
            >
              {cell}
            </button>
          );
        })}
      </div>
    </section>
  );
};

/** The three views of one link. */
export const ThreeWay = ({
  actions,
  layout,
  payload,
}: {
  layout: Layout;
  payload: string;
  actions: FieldActions;
}) => {
  const [active, setActive] = useState<Active>();
  const common = { fields: layout.fields, active, onActive: setActive };
  return (
    <div class="three-way">
      <p class="status" role="status">
        {active?.text ??
          "Point at a character, a byte or a field, or move there with Tab and the arrow keys."}
      </p>
      <Strip
        {...common}
        label="Characters, 6 bits each"
        cells={[...payload]}
        width={BITS_PER_CHARACTER}
        describe={(index, text) => `character ${index} “${text}”`}
      />
      <Strip
        {...common}
        label="Bytes"
        cells={Array.from(layout.bytes, (byte) => byte.toString(16).padStart(2, "0"))}
        width={BITS_PER_BYTE}
        describe={(index, text) => `byte ${index}, 0x${text}`}
      />
      <FieldTable
        layout={layout}
        isLit={(field) => overlaps(field.bits, active?.bits)}
        onActive={(field) =>
          setActive(
            field && {
              bits: field.bits,
              text: `${nameOf(field)}: ${field.value}, bytes ${rangeText(field.bytes)}, characters ${rangeText(field.characters)}`,
            },
          )
        }
        actions={actions}
      />
    </div>
  );
};

const rangeText = ({ end, start }: Range) =>
  end - start === 1 ? `${start}` : `${start}–${end - 1}`;
