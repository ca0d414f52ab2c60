/** A link, or the readable part of one: characters and bytes, and below them the fields. */
import type { Field, Range } from "@game-data/tree-link/layout";
import { useState } from "preact/hooks";
import { type Active, Dump, nameOf } from "./Dump.tsx";
import { type FieldActions, Fields, type Names } from "./Fields.tsx";

interface Props {
  readonly payload: string;
  readonly bytes: Uint8Array;
  readonly fields: ReadonlyArray<Field>;
  readonly names: Names;
  readonly actions?: FieldActions;
  readonly expected?: Readonly<Partial<Record<string, number>>>;
}

/** Both views, each lighting up what the pointer is at in the other. */
export const Explorer = ({ actions, bytes, expected, fields, names, payload }: Props) => {
  const [active, setActive] = useState<Active>();
  return (
    <>
      <section class="card" aria-label="Bytes">
        <h2>Characters and bytes</h2>
        <p class="status" role="status">
          {active?.text ??
            "Point at a character, a byte or a field, or move there with Tab and the arrow keys."}
        </p>
        <Dump {...{ payload, bytes, fields, active }} onActive={setActive} />
      </section>
      <section class="card" aria-label="Fields">
        <h2>Fields</h2>
        <Fields
          fields={fields}
          names={names}
          {...(actions === undefined ? {} : { actions })}
          {...(expected === undefined ? {} : { expected })}
          isLit={({ bits }) =>
            active !== undefined && bits.start < active.bits.end && active.bits.start < bits.end
          }
          onActive={(field) =>
            setActive(
              field && {
                bits: field.bits,
                text: `${nameOf(field)}: ${field.value}, bytes ${rangeText(field.bytes)}, characters ${rangeText(field.characters)}`,
              },
            )
          }
        />
      </section>
    </>
  );
};

const rangeText = ({ end, start }: Range) =>
  end - start === 1 ? `${start}` : `${start}–${end - 1}`;
