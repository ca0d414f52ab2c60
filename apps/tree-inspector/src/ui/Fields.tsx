/**
 * Shows the fields of a link, with values to edit. Entries of lists can be added and removed. A
 * long list shows its first entries, and a button that shows the others.
 */
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/class-names";
import type { Field, FieldGroup } from "@game-data/tree-link/layout";
import { useMemo, useState } from "preact/hooks";
import type { ListName } from "../model/Edit.ts";
import { titleOf } from "../model/titles.ts";

export interface FieldActions {
  readonly set: (field: Field, value: number) => void;
  readonly remove: (list: ListName, index: number) => void;
  readonly add: (list: ListName) => void;
}

interface Props {
  readonly fields: ReadonlyArray<Field>;
  readonly isLit: (field: Field) => boolean;
  readonly onActive: (field: Field | undefined, isFocus?: boolean) => void;
  /** If absent, the fields are read-only. */
  readonly actions?: FieldActions;
  /** The stated length of each list that has fewer entries. */
  readonly expected?: Readonly<Partial<Record<string, number>>>;
}

const LISTS: ReadonlyArray<FieldGroup> = ["hashes", "extendedHashes", "masteries"];
const SHOWN = 40;

const meaning = ({ name, value }: Field): string => {
  if (name === "class") return CLASSES[value] ?? "not a known class";
  if (name !== "alternateAscendancy") return "";
  return ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning";
};

/** Shows all fields, by group. */
export const Fields = (props: Props) => {
  const { fields, onActive } = props;
  const groups = useMemo(() => Map.groupBy(fields, ({ group }) => group), [fields]);
  const single = [...groups].filter(([group]) => !LISTS.includes(group));
  return (
    <div class="fields" onMouseLeave={() => onActive(undefined)}>
      <div class="field-row">
        {single.flatMap(([group, members]) =>
          members.map((field) => (
            <fieldset key={`${group} ${field.name}`} data-group={group}>
              <legend>{titleOf(field.name)}</legend>
              <FieldCell {...props} field={field} />
            </fieldset>
          )),
        )}
      </div>
      {LISTS.flatMap((group) => {
        const members = groups.get(group);
        return members === undefined
          ? []
          : [<List key={group} {...props} group={group} members={members} />];
      })}
    </div>
  );
};

const List = ({
  actions,
  expected,
  group,
  members,
  ...rest
}: Props & { group: FieldGroup; members: ReadonlyArray<Field> }) => {
  const [isWhole, setWhole] = useState(false);
  const perEntry = group === "masteries" ? 2 : 1;
  const entries = members.filter(({ name }) => name !== "count");
  const count = Math.ceil(entries.length / perEntry);
  const shown = isWhole ? entries : entries.slice(0, SHOWN * perEntry);
  const announced = expected?.[group] ?? count;
  return (
    <fieldset data-group={group}>
      <legend>
        {titleOf(group)} ({announced > count ? `${count} of ${announced}` : count})
      </legend>
      <div class="entries">
        {shown.map((field) => (
          <FieldCell
            key={`${field.name}${field.index}`}
            {...rest}
            {...(actions === undefined ? {} : { actions })}
            field={field}
          />
        ))}
        {shown.length < entries.length && (
          <button type="button" class="quiet" onClick={() => setWhole(true)}>
            Show all {count}
          </button>
        )}
        {actions !== undefined && (
          <button type="button" class="quiet" onClick={() => actions.add(group as ListName)}>
            Add
          </button>
        )}
      </div>
    </fieldset>
  );
};

const FieldCell = ({
  actions,
  field,
  isLit,
  onActive,
}: Omit<Props, "fields"> & { field: Field }) => {
  const { group, index, name, value } = field;
  const label = index === undefined ? name : `${group} ${index + 1} ${name}`;
  const note = meaning(field);
  const isFixed = name === "version" || actions === undefined;
  const endsEntry = name === "hash" || name === "node";
  return (
    <span
      class="field"
      data-lit={isLit(field)}
      onMouseEnter={() => onActive(field)}
      onFocusCapture={() => onActive(field, true)}
    >
      {index !== undefined && (
        <span class="field-name" aria-hidden="true">
          {name === "hash" ? index + 1 : `${index + 1} ${name}`}
        </span>
      )}
      <input
        type="number"
        min={0}
        aria-label={label}
        value={value}
        readOnly={isFixed}
        onKeyDown={({ currentTarget, key }) => {
          if (key === "Escape") currentTarget.value = String(value);
        }}
        onChange={(event) => actions?.set(field, event.currentTarget.valueAsNumber)}
      />
      {note !== "" && <span class="note">{note}</span>}
      {actions !== undefined && index !== undefined && endsEntry && (
        <button
          type="button"
          class="remove"
          aria-label={`Remove ${group} ${index + 1}`}
          onClick={({ currentTarget }) => {
            // After the last entry, the next element is the button that adds an entry.
            const next = currentTarget.parentElement!.nextElementSibling;
            if (next instanceof HTMLButtonElement) next.focus();
            actions.remove(group as ListName, index);
          }}
        >
          ×
        </button>
      )}
    </span>
  );
};
