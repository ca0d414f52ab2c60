/** Chooses an account of the sandbox, or none. */
import { useControl } from "./api.ts";

interface Accounts {
  readonly accounts: ReadonlyArray<{ readonly name: string }>;
}

/** The field; `none` says what it means to choose no account. */
export const AccountSelect = (props: {
  readonly label: string;
  readonly none: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
}) => {
  const { value } = useControl<Accounts>("/accounts");
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">{props.none}</option>
        {(value?.accounts ?? []).map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
};
