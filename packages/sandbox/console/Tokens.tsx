/**
 * View of grants and tokens by account. Of a token it shows only the kind and the first characters.
 */
import { useState } from "preact/hooks";
import { send, useControl } from "./api.ts";
import { AccountSelect, Button, Card, Copy, Problem, useAction } from "./ui.tsx";

interface Grant {
  readonly account: string;
  readonly id: string;
  readonly clientId: string;
  readonly grantType: string;
  readonly scopes: ReadonlyArray<string>;
  readonly createdAt: string;
  readonly tokens: ReadonlyArray<{
    readonly kind: string;
    readonly prefix: string;
    readonly expiresAt: string | null;
  }>;
}

interface Clients {
  readonly clients: ReadonlyArray<{ readonly clientId: string; readonly kind: string }>;
}

export const Tokens = () => {
  const grants = useControl<{ readonly grants: ReadonlyArray<Grant> }>("/tokens", 3000);
  const { problem, run } = useAction();
  const act = (action: () => Promise<unknown>) => run(() => action().then(grants.refresh));
  const list = grants.value?.grants ?? [];
  return (
    <>
      <Problem text={problem ?? grants.problem} />
      <Issue act={act} />
      <Card title="Grants in force">
        {list.length === 0 ? (
          <p class="lead">None. Sign in, or issue a token here.</p>
        ) : (
          <ul class="lines removable" aria-label="Grants in force">
            {list.map((grant) => (
              <Line key={grant.id} grant={grant} act={act} />
            ))}
          </ul>
        )}
      </Card>
    </>
  );
};

type Act = (action: () => Promise<unknown>) => void;

const Issue = ({ act }: { readonly act: Act }) => {
  const clients = useControl<Clients>("/clients");
  const [client, setClient] = useState("example-web");
  const [account, setAccount] = useState("");
  const [issued, setIssued] = useState<string>();
  const issue = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      const { access_token: token } = await send<{ readonly access_token: string }>(
        "POST",
        "/tokens",
        { clientId: client, ...(account === "" ? {} : { account }) },
      );
      setIssued(token);
    });
  };
  return (
    <Card title="Issue an access token">
      <form class="toolbar" onSubmit={issue}>
        <label>
          Application
          <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
            {(clients.value?.clients ?? []).map(({ clientId, kind }) => (
              <option key={clientId} value={clientId}>
                {clientId} ({kind})
              </option>
            ))}
          </select>
        </label>
        <AccountSelect
          label="Account"
          none="none (client credentials)"
          value={account}
          onChange={setAccount}
        />
        <button class="primary">Issue</button>
        {issued !== undefined && <Copy label="Copy the token" text={issued} />}
      </form>
    </Card>
  );
};

const minuteOf = (iso: string): string => iso.slice(0, 16).replace("T", " ");

const Line = ({ act, grant }: { readonly grant: Grant; readonly act: Act }) => (
  <li>
    <div>
      <strong>{grant.account}</strong> to {grant.clientId}, {grant.grantType}, since{" "}
      {minuteOf(grant.createdAt)}
      <p class="muted">{grant.scopes.join(", ")}</p>
      {grant.tokens.map(({ expiresAt, kind, prefix }) => (
        <p key={kind + prefix}>
          {kind} <code>{prefix}…</code>,{" "}
          {expiresAt === null ? "never expires" : `until ${minuteOf(expiresAt)}`}
        </p>
      ))}
    </div>
    <Button
      aria-label={`Revoke the grant of ${grant.account} to ${grant.clientId}`}
      onClick={() => act(() => send("DELETE", `/grants/${grant.id}`))}
    >
      Revoke
    </Button>
  </li>
);
