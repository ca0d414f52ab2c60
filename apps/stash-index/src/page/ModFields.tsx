/** The mods of a search, each with a range. */
import { useState } from "preact/hooks";
import { changeAddress } from "./address.tsx";
import { useSuggestions } from "./api.ts";
import { modParts } from "./filters.ts";

/** Draws the mods, and a field for another one. */
export const ModFields = ({ mods }: { readonly mods: ReadonlyArray<string> }) => {
  const [typed, setTyped] = useState("");
  const found = useSuggestions("mods", typed);
  const add = (template: string) => {
    setTyped("");
    const others = mods.filter((mod) => modParts(mod).template !== template);
    changeAddress({ mod: [...others, `${template}::`] });
  };
  return (
    <fieldset class="wide">
      <legend>Mods</legend>
      {mods.map((mod, at) => (
        <ModRange
          key={modParts(mod).template}
          mod={mod}
          onChange={(changed) => changeAddress({ mod: mods.toSpliced(at, 1, changed) }, true)}
          onRemove={() => changeAddress({ mod: mods.toSpliced(at, 1) })}
        />
      ))}
      <label>
        Add a mod
        <input
          type="search"
          value={typed}
          autocomplete="off"
          placeholder="vigour, resistance …"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {typed.length > 1 && (
        <ul class="buttons choices" aria-label="Mods that match">
          {found.map((template) => (
            <li key={template}>
              <button type="button" onClick={() => add(template)}>
                {template}
              </button>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
};

interface RangeProps {
  readonly mod: string;
  readonly onChange: (mod: string) => void;
  readonly onRemove: () => void;
}

const ModRange = ({ mod, onChange, onRemove }: RangeProps) => {
  const { least, most, template } = modParts(mod);
  const bound = (label: string, value: string, write: (value: string) => string) => (
    <input
      type="number"
      step="any"
      aria-label={`${template}: ${label}`}
      placeholder={label}
      value={value}
      onInput={(event) => onChange(write(event.currentTarget.value))}
    />
  );
  return (
    <div class="mod">
      <span>{template}</span>
      {bound("least", least, (value) => `${template}:${value}:${most}`)}
      {bound("most", most, (value) => `${template}:${least}:${value}`)}
      <button type="button" class="quiet" aria-label={`Remove ${template}`} onClick={onRemove}>
        ×
      </button>
    </div>
  );
};
