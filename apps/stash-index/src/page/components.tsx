/** Parts that several views draw. */
import type { ComponentChildren } from "preact";
import { changeAddress, useAddress } from "./address.tsx";
import type { Problem } from "./api.ts";

interface TableProps {
  readonly label: string;
  readonly class?: string;
  /** Titles of the columns. The title of a column of numbers begins with `#`. */
  readonly columns: ReadonlyArray<string>;
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself if it is too wide. */
export const Table = ({ children, columns, label, ...table }: TableProps) => (
  <div class="scroll" tabindex={0} role="region" aria-label={`Table of ${label}`}>
    <table {...table}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" class={column.startsWith("#") ? "number" : undefined}>
              {column.replace("#", "")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

interface SelectProps {
  /** The parameter of the address that it changes. */
  readonly name: string;
  readonly label: string;
  /** Default: the value of the parameter. */
  readonly value?: string | undefined;
  /** The value of each option, and its text if that differs. */
  readonly options: ReadonlyArray<string | readonly [value: string, text: string]>;
}

/** A drop-down list with a label. */
export const Select = ({ label, name, options, value }: SelectProps) => {
  const current = useAddress().get(name) ?? "";
  return (
    <label>
      {label}{" "}
      <select
        value={value ?? current}
        onChange={(event) => changeAddress({ [name]: event.currentTarget.value })}
      >
        {options.map((option) => {
          const [key, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={key} value={key}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
};

/** Why the server refused a request. */
export const Refusal = ({ error }: { readonly error: Problem | undefined }) =>
  error === undefined ? null : (
    <p class="notice notice-bad" role="alert">
      {error.parameter === undefined ? "" : `${error.parameter}: `}
      {error.detail ?? error.title}
    </p>
  );
