/** Components that several views use. */
import type { ComponentChildren } from "preact";
import { changeAddress, useAddress } from "./address.tsx";
import type { Problem } from "./api.ts";

interface TableProps {
  readonly label: string;
  readonly class?: string;
  /** Titles of the columns. A title that begins with `#` marks a column of numbers. */
  readonly columns: ReadonlyArray<string>;
  readonly children: ComponentChildren;
}

/** A table that scrolls horizontally if it is wider than the page. */
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
  /** The parameter of the address that the list changes. */
  readonly name: string;
  readonly label: string;
  /** The selected option. Default: the value of the parameter. */
  readonly value?: string | undefined;
  /** The value of each option, with its label if it differs. */
  readonly options: ReadonlyArray<string | readonly [value: string, text: string]>;
}

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

/** Shows why the server refused a request, or nothing without an error. */
export const Refusal = ({ error }: { readonly error: Problem | undefined }) =>
  error === undefined ? null : (
    <p class="notice notice-bad" role="alert">
      {error.parameter === undefined ? "" : `${error.parameter}: `}
      {error.detail ?? error.title}
    </p>
  );
