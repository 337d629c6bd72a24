import { Table } from "../design/table.tsx";
import { flatSettings, settingText } from "./settings.ts";

/** The section train: of nearkin.yaml, with all values filled in. */
export function SettingsTable({ settings }: { settings: Readonly<Record<string, unknown>> }) {
  return (
    <Table
      caption="Settings, as under train: in nearkin.yaml"
      quiet
      columns={[
        { title: "Setting", cell: ({ key }) => <code>{key}</code> },
        { title: "Value", cell: ({ value }) => settingText(value) },
      ]}
      rows={flatSettings(settings)}
      keyOf={({ key }) => key}
    />
  );
}
