/** Shows a link, or the readable part of a damaged link, as characters, bytes and fields. */
import type { Field, Range } from "@game-data/tree-link/layout";
import { useState } from "preact/hooks";
import { setByte, setCharacter } from "../model/Edit.ts";
import { inWords, titleOf } from "../model/titles.ts";
import { type Active, describeCell, Dump, isOverlapping, nameOf, WIDTHS } from "./Dump.tsx";
import { type FieldActions, Fields } from "./Fields.tsx";

/** A link, or the readable part of a damaged link. */
export interface ExplorerProps {
  readonly payload: string;
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyArray<Field>;
  readonly actions?: FieldActions | undefined;
  readonly expected?: Readonly<Partial<Record<string, number>>> | undefined;
  /** The reason why the last edit was refused. */
  readonly refused: string | undefined;
  /** Receives the text after an edit of a byte or character. The text may not be a valid link. */
  readonly onText: (text: string) => void;
}

/** Shows both views. The cell or field under the pointer is highlighted in both. */
export const Explorer = (props: ExplorerProps) => {
  const { actions, bytes, expected, fields, onText, payload, refused } = props;
  const [focused, setFocused] = useState<Active>();
  const [hovered, setHovered] = useState<Active>();
  const [odd, setOdd] = useState<string>();
  const shown = describe(hovered, props) ?? describe(focused, props);
  // If the pointer leaves, the focused cell is shown again.
  const light = (next: Active | undefined, isFocus = false) => {
    setOdd(undefined);
    setHovered(isFocus ? undefined : next);
    if (isFocus) setFocused(next);
  };
  return (
    <>
      <div class="said">
        <p class="notice" role="status">
          {odd ??
            (shown && inWords(shown.text)) ??
            // Fields of a damaged link cannot be edited.
            `Point at a character, a byte or a field. Type over ${actions === undefined ? "a character or a byte" : "it"} to change it.`}
        </p>
        {refused !== undefined && (
          <p class="notice notice-bad" role="alert">
            Nothing was changed. {inWords(refused)}
          </p>
        )}
      </div>
      <section class="card" aria-label="Bytes">
        <h2>Characters and bytes</h2>
        <Legend fields={fields} />
        <Dump
          {...{ payload, bytes, fields }}
          lit={shown?.bits}
          onActive={light}
          onOdd={setOdd}
          onCharacter={(index, character) => onText(setCharacter(payload, index, character))}
          onByte={(index, value) => onText(setByte(bytes, index, value))}
        />
      </section>
      <section class="card" aria-label="Fields">
        <h2>Fields</h2>
        <Fields
          fields={fields}
          {...(actions === undefined ? {} : { actions })}
          {...(expected === undefined ? {} : { expected })}
          isLit={({ bits }) => isOverlapping(bits, shown?.bits)}
          onActive={(field, isFocus) =>
            light(field && { group: field.group, name: field.name, at: field.index }, isFocus)
          }
        />
      </section>
    </>
  );
};

/** Shows the colour of each group of fields. */
const Legend = ({ fields }: Pick<ExplorerProps, "fields">) => (
  <ul class="buttons legend" aria-label="Colours">
    {[...new Set(fields.map(({ group }) => group))].map((group) => (
      <li key={group} data-group={group}>
        {titleOf(group)}
      </li>
    ))}
  </ul>
);

/** Describes the active cell or field; `undefined` if the current link no longer has it. */
const describe = (
  active: Active | undefined,
  { bytes, fields, payload }: ExplorerProps,
): { readonly bits: Range; readonly text: string } | undefined => {
  if (active === undefined) return undefined;
  if ("side" in active) {
    const { index, side } = active;
    if (index >= (side === "characters" ? payload : bytes).length) return undefined;
    const bits = { start: index * WIDTHS[side], end: (index + 1) * WIDTHS[side] };
    const within = fields.filter((field) => isOverlapping(bits, field.bits)).map(nameOf);
    const cell = describeCell(side, index, payload, bytes);
    const rest = side === "characters" && payload[index] === "=" ? "padding" : "not read";
    return { bits, text: `${cell}: ${within.join(", ") || rest}` };
  }
  const field = fields.find(
    ({ group, index, name }) =>
      group === active.group && name === active.name && index === active.at,
  );
  if (field === undefined) return undefined;
  const places = `${rangeText("byte", field.bytes)}, ${rangeText("character", field.characters)}`;
  return { bits: field.bits, text: `${nameOf(field)}: ${field.value}, ${places}` };
};

const rangeText = (what: string, { end, start }: Range) =>
  end - start === 1 ? `${what} ${start}` : `${what}s ${start}–${end - 1}`;
