// The page begins here.
import "../design/tokens.css";
import "../design/base.css";
import { render } from "preact";
import { startEngine } from "../engine/engine.ts";
import { keepPage } from "../offline/register.ts";
import { followLinks } from "./router.ts";
import { Shell } from "./shell.tsx";
import { keepTheme } from "./theme.ts";

keepTheme();
followLinks(document);
startEngine();
render(<Shell />, document.getElementById("app") as HTMLElement);
keepPage();
