/** The filters. Each change is the next search; there is nothing to submit. */
import { changeAddress, useAddress } from "./address.tsx";
import { type ApiError, useApi, useSuggestions } from "./api.ts";
import { Select } from "./components.tsx";
import { CHIPS, CLEARED, type Field, FIELDS } from "./filters.ts";
import { ModFields } from "./ModFields.tsx";

interface FormProps {
  readonly error: ApiError | undefined;
  readonly league: string;
}

/** Draws the form. */
export const FilterForm = ({ error, league }: FormProps) => {
  const parameters = useAddress();
  const value = (name: string) => parameters.get(name) ?? "";
  return (
    <form
      class="card filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <Words value={value("q")} isInvalid={error?.parameter === "q"} />
      {CHIPS.filter((name) => value(name) !== "").map((name) => (
        <p key={name} class="chip wide">
          {name}: {value(name)}{" "}
          <button type="button" class="quiet" onClick={() => changeAddress({ [name]: "" })}>
            Remove<span class="visually-hidden"> the filter by {name}</span>
          </button>
        </p>
      ))}
      {FIELDS.map((field) =>
        field.name === "currency" ? (
          <Currency key={field.name} league={league} value={value(field.name)} />
        ) : (
          <FieldInput
            key={field.name}
            field={field}
            value={value(field.name)}
            isInvalid={error?.parameter === field.name}
          />
        ),
      )}
      <ModFields mods={parameters.getAll("mod")} />
      <p class="buttons wide">
        <button type="button" onClick={() => changeAddress(CLEARED)}>
          Clear
        </button>
        <button type="button" class="primary" onClick={() => changeAddress({ check: "yes" })}>
          Check the price
        </button>
      </p>
    </form>
  );
};

interface InputProps {
  readonly value: string;
  readonly isInvalid: boolean;
}

const Words = ({ isInvalid, value }: InputProps) => {
  const suggestions = useSuggestions("terms", value);
  return (
    <label class="wide">
      Name or base
      <input
        type="search"
        value={value}
        list="terms"
        autocomplete="off"
        placeholder="band, rod, helm …"
        aria-invalid={isInvalid}
        onInput={(event) => changeAddress({ q: event.currentTarget.value }, true)}
      />
      <datalist id="terms">
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </label>
  );
};

const FieldInput = ({ field, isInvalid, value }: InputProps & { readonly field: Field }) => {
  const { label, name, options, step = "1" } = field;
  if (options !== undefined)
    return (
      <Select
        label={label}
        value={value}
        options={options}
        onChange={(chosen) => changeAddress({ [name]: chosen })}
      />
    );
  return (
    <label>
      {label}
      <input
        type="number"
        min="0"
        step={step}
        value={value}
        aria-invalid={isInvalid}
        onInput={(event) => changeAddress({ [name]: event.currentTarget.value }, true)}
      />
    </label>
  );
};

interface Rates {
  readonly values: Readonly<Record<string, number>>;
  readonly base: string;
}

const Currency = ({ league, value }: { readonly league: string; readonly value: string }) => {
  const rates = useApi<Rates>(`exchange/currencies?league=${encodeURIComponent(league)}`).result;
  const codes = Object.keys(rates?.values ?? {}).toSorted();
  return (
    <Select
      label="Currency"
      value={value}
      options={[["", rates === undefined ? "base" : `${rates.base} (base)`], ...codes]}
      onChange={(currency) => changeAddress({ currency })}
    />
  );
};
