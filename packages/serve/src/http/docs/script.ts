// What /docs does in the browser, as text. Everything that comes from the document is set as text, never as markup.
export const docsScript = `const doc = await (await fetch("/openapi.json", { headers: auth() })).json();
const main = document.querySelector("#main");
const contents = document.querySelector("#contents");
const keyField = document.querySelector("#key");
keyField.value = sessionStorage.getItem("nearkin-key") ?? "";
keyField.addEventListener("change", () => { sessionStorage.setItem("nearkin-key", keyField.value); if (!doc.paths) location.reload(); });

function auth() {
  const key = sessionStorage.getItem("nearkin-key");
  return key ? { authorization: "Bearer " + key } : {};
}
function el(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}
/** Text, with what stands between backticks as code. */
const prose = (text) => text.split("\\u0060").map((part, i) => i % 2 === 1 ? el("code", {}, part) : part);
const follow = (schema) => schema && schema.$ref ? schema.$ref.slice(2).split("/").reduce((at, key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")], doc) : schema;
const nameOf = (schema) => schema?.$ref ? schema.$ref.split("/").at(-1) : undefined;

function typeOf(schema, depth = 0) {
  if (!schema) return "any";
  const name = nameOf(schema);
  if (name) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts && depth < 3) return [...new Set(parts.map((part) => typeOf(part, depth + 1)))].join(" | ");
  if (schema.type === "array") return "list of " + typeOf(schema.items, depth + 1);
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  return schema.type ?? "any";
}

function fields(schema, depth = 0) {
  const found = follow(schema);
  const target = found?.type === "array" ? follow(found.items) : found;
  if (!target?.properties || depth > 3) return el("p", { className: "soft" }, typeOf(schema) + (found?.description ? ": " + found.description : ""));
  const required = new Set(target.required ?? []);
  const table = el("table");
  for (const [name, property] of Object.entries(target.properties)) {
    const own = follow(property);
    const inner = follow(own?.type === "array" ? own.items : own);
    const more = inner?.properties ? el("details", {}, el("summary", {}, nameOf(property) ?? "its keys"), fields(property, depth + 1)) : undefined;
    table.append(el("tr", {},
      el("td", {}, el("code", {}, name), required.has(name) ? "" : el("span", { className: "soft" }, " optional")),
      el("td", {}, el("code", { className: "soft" }, typeOf(property)), " ", ...prose(property.description ?? own?.description ?? ""), more)));
  }
  return table;
}

function tryIt(method, path, operation) {
  const parameters = operation.parameters ?? [];
  const inputs = new Map();
  const box = el("div", { className: "try" });
  for (const parameter of parameters) {
    const input = el("input", { placeholder: parameter.required ? "required" : "", value: parameter.example ?? "" });
    inputs.set(parameter, input);
    box.append(el("label", {}, parameter.name, input));
  }
  const body = operation.requestBody?.content?.["application/json"];
  const example = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
  const text = body ? el("textarea", { value: example === undefined ? "{}" : JSON.stringify(example, null, 2), spellcheck: false }) : undefined;
  if (text) box.append(el("label", {}, "body", text));
  const output = el("pre", { hidden: true });
  const button = el("button", {}, "Send");
  button.addEventListener("click", async () => {
    let target = path;
    const query = new URLSearchParams();
    for (const [parameter, input] of inputs) {
      if (parameter.in === "path") target = target.replace("{" + parameter.name + "}", encodeURIComponent(input.value));
      else if (input.value !== "") query.set(parameter.name, input.value);
    }
    const address = target + (query.size > 0 ? "?" + query : "");
    output.hidden = false;
    output.textContent = "…";
    try {
      const started = performance.now();
      const response = await fetch(address, { method: method.toUpperCase(), headers: { ...auth(), ...(text ? { "content-type": "application/json" } : {}) }, ...(text ? { body: text.value } : {}) });
      const answer = await response.text();
      let shown = answer;
      try { shown = JSON.stringify(JSON.parse(answer), null, 2); } catch {}
      output.textContent = method.toUpperCase() + " " + address + "\\n" + response.status + " in " + (performance.now() - started).toFixed(1) + " ms\\n\\n" + shown;
    } catch (error) { output.textContent = String(error); }
  });
  box.append(button, output);
  return el("details", {}, el("summary", {}, "Try it"), box);
}

if (!doc.paths) {
  main.replaceChildren(el("h1", {}, "Nearkin API"), el("p", {}, doc.error?.message ?? "The description cannot be read."), el("p", { className: "soft" }, "Enter a key on the left to read it."));
} else {
  main.replaceChildren(el("h1", {}, doc.info.title + " " + doc.info.version), el("p", {}, doc.info.description ?? ""), el("p", {}, el("a", { href: "/openapi.json" }, "/openapi.json")));
  const groups = new Map();
  for (const [path, methods] of Object.entries(doc.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = operation.tags?.[0] ?? path.split("/")[2] ?? "server";
      groups.set(group, [...(groups.get(group) ?? []), { path, method, operation }]);
    }
  }
  for (const [group, routes] of groups) {
    contents.append(el("h3", {}, group));
    for (const { path, method, operation } of routes) {
      const id = operation.operationId ?? method + path;
      contents.append(el("a", { className: "route", href: "#" + id, title: path }, el("span", { className: "method " + method }, method), operation.summary ?? path));
      const parameters = operation.parameters ?? [];
      const body = operation.requestBody?.content?.["application/json"];
      const ok = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"));
      const answer = ok?.[1]?.content?.["application/json"]?.schema;
      const scope = operation["x-scope"] ?? operation.security?.map((entry) => Object.values(entry).flat().join(", ")).find(Boolean);
      main.append(el("section", {},
        el("h2", { id }, el("span", { className: "method " + method }, method), el("code", {}, path), scope ? el("span", { className: "scope" }, scope) : undefined),
        el("p", { className: "summary" }, operation.summary ?? ""), operation.description && operation.description !== operation.summary ? el("p", { className: "soft" }, ...prose(operation.description)) : undefined,
        parameters.length > 0 ? el("table", {}, ...parameters.map((p) => el("tr", {}, el("td", {}, el("code", {}, p.name), el("span", { className: "soft" }, p.required ? " " + p.in : " " + p.in + ", optional")), el("td", {}, el("code", { className: "soft" }, typeOf(p.schema)), " ", ...prose(p.description ?? p.schema?.description ?? ""))))) : undefined,
        body ? el("details", { open: true }, el("summary", {}, "Body: " + (nameOf(body.schema) ?? "JSON")), fields(body.schema)) : undefined,
        answer ? el("details", {}, el("summary", {}, "Answer " + ok[0] + ": " + (nameOf(answer) ?? "JSON")), fields(answer)) : undefined,
        tryIt(method, path, operation)));
    }
  }
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}
`;
