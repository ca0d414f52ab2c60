/** Components and hooks that the console's views share. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useControl } from "./api.ts";

export const Card = (props: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="card">
    <h2>{props.title}</h2>
    {props.children}
  </section>
);

/** A button that submits no form. */
export const Button = (props: ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button type="button" {...props} />
);

/** Shows the message of a failed action, or nothing. */
export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <div class="notice notice-bad" role="alert">
      <p>{text}</p>
    </div>
  );

/** Runs an action, and keeps the message of its failure. */
export const useAction = () => {
  const [problem, setProblem] = useState<string>();
  const run = (action: () => Promise<unknown>): void => {
    action().then(
      () => setProblem(undefined),
      (cause: Error) => setProblem(cause.message),
    );
  };
  return { problem, run };
};

/** Form for changing and submitting a JSON document. */
export const JsonForm = (props: {
  readonly id: string;
  readonly rows: number;
  readonly text: string;
  readonly button: string;
  readonly onSubmit: (text: string) => void;
}) => {
  const [text, setText] = useState(props.text);
  useEffect(() => setText(props.text), [props.text]);
  const submit = (event: Event): void => {
    event.preventDefault();
    props.onSubmit(text);
  };
  return (
    <form onSubmit={submit}>
      <label for={props.id}>JSON document</label>
      <textarea
        id={props.id}
        rows={props.rows}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="buttons">
        <button class="primary">{props.button}</button>
      </div>
    </form>
  );
};

/** Button that copies a text, or shows the text if copying fails. */
export const Copy = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied."),
      () => setSaid(text),
    );
  return (
    <>
      <Button onClick={() => void copy()}>{label}</Button>
      <span role="status">{said}</span>
    </>
  );
};

/** Badge of an HTTP status. `isRefused` marks redirects that report an error. */
export const Status = (props: { readonly status: number | null; readonly isRefused: boolean }) => {
  const { isRefused, status } = props;
  const kind =
    status === null || status >= 500 ? "bad" : status >= 400 || isRefused ? "warn" : "good";
  return <span class={`badge badge-${kind}`}>{status ?? "no response"}</span>;
};

/** Formats the time of an instant, to the second. */
export const clockTime = (iso: string): string => iso.slice(11, 19);

interface Accounts {
  readonly accounts: ReadonlyArray<{ readonly name: string }>;
}

/** Selects an account. `none` is the label of the choice without an account. */
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
