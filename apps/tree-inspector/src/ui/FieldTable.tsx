/**
 * The fields of a link, each with its value to edit; lists can grow and shrink.
 */
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/class-names";
import type { Field, FieldGroup, Layout } from "@game-data/tree-link/layout";
import type { ListName } from "../model/Edit.ts";

/** What the table lets a person do. */
export interface FieldActions {
  readonly set: (field: Field, value: number) => void;
  readonly remove: (list: ListName, index: number) => void;
  readonly add: (list: ListName) => void;
}

interface Props {
  readonly layout: Layout;
  readonly isLit: (field: Field) => boolean;
  readonly onActive: (field: Field | undefined) => void;
  readonly actions: FieldActions;
}

const TITLES: Record<FieldGroup, string> = {
  version: "Version",
  class: "Class",
  ascendancy: "Ascendancy",
  fullscreen: "Full screen",
  hashes: "Node hashes",
  extendedHashes: "Extended hashes (cluster jewels)",
  masteries: "Mastery effects",
};
const LISTS = new Set<FieldGroup>(["hashes", "extendedHashes", "masteries"]);

/** The name of a value, where it has one. */
const meaning = ({ name, value }: Field): string => {
  if (name === "class") return CLASSES[value] ?? "not a known class";
  if (name === "alternateAscendancy")
    return ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning";
  return "";
};

/** All fields, by group. */
export const FieldTable = ({ actions, isLit, layout, onActive }: Props) => {
  const groups = [...new Set(layout.fields.map(({ group }) => group))];
  return (
    <section onMouseLeave={() => onActive(undefined)}>
      <h3>Fields</h3>
      {groups.map((group) => {
        const fields = layout.fields.filter((field) => field.group === group);
        const entries = fields.filter(({ name }) => name !== "count");
        const isList = LISTS.has(group);
        return (
          <fieldset key={group} data-group={group}>
            <legend>{isList ? `${TITLES[group]} (${countOf(entries)})` : TITLES[group]}</legend>
            <div class="fields">
              {fields.map((field) => (
                <FieldCell
                  key={`${field.name}${field.index}`}
                  {...{ field, isLit, onActive, actions }}
                />
              ))}
              {isList && (
                <button type="button" class="add" onClick={() => actions.add(group as ListName)}>
                  Add
                </button>
              )}
            </div>
          </fieldset>
        );
      })}
    </section>
  );
};

/** A mastery effect has two fields, all other entries one. */
const countOf = (entries: ReadonlyArray<Field>) => new Set(entries.map(({ index }) => index)).size;

const FieldCell = ({
  actions,
  field,
  isLit,
  onActive,
}: Omit<Props, "layout"> & { field: Field }) => {
  const { group, index, name, value } = field;
  const label = index === undefined ? name : `${group} ${index + 1} ${name}`;
  const note = meaning(field);
  const isFixed = name === "count" || name === "version";
  const endsEntry = name === "hash" || name === "node";
  return (
    <span
      class="field"
      data-lit={isLit(field)}
      onMouseEnter={() => onActive(field)}
      onFocusCapture={() => onActive(field)}
    >
      <label>
        <span class="field-name">
          {index === undefined ? name : name === "hash" ? index + 1 : `${index + 1} ${name}`}
        </span>
        <input
          type="number"
          min={0}
          aria-label={label}
          value={value}
          readOnly={isFixed}
          onChange={(event) => actions.set(field, event.currentTarget.valueAsNumber)}
        />
      </label>
      {note !== "" && <span class="note">{note}</span>}
      {index !== undefined && endsEntry && (
        <button
          type="button"
          class="remove"
          aria-label={`Remove ${group} ${index + 1}`}
          onClick={() => actions.remove(group as ListName, index)}
        >
          ×
        </button>
      )}
    </span>
  );
};
