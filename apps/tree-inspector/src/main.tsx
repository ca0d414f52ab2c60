/** Renders the page into the document. */
import { render } from "preact";
import { App } from "./ui/App.tsx";
// oxlint-disable-next-line import/no-unassigned-import
import "@game-data/pages/style.css";
// oxlint-disable-next-line import/no-unassigned-import
import "./style.css";

render(<App />, document.body);
