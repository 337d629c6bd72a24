import type { ListedUser } from "@nearkin/client";
import { client } from "../api/client.ts";
import { loaded } from "../api/loaded.ts";
import { Button } from "../design/button.tsx";
import { type Choice, Combobox } from "../design/combobox.tsx";
import { activeModel } from "../engine/active-model.ts";
import { type UserList, usersFor } from "./users.ts";

const MANY = 1000; // users that one page of the API holds

interface UserChooserProps {
  user: string | null;
  /** Where the user's metric comes from. */
  reason: string | undefined;
  onChoose: (user: string | null) => void;
}

/** Whose eyes to look with: everyone's, or a user's own metric. */
export function UserChooser({ user, reason, onChoose }: UserChooserProps) {
  const answer = loaded<UserList>("users", () => client.users.list({ limit: MANY })).value;
  const known = answer.state === "ready" ? answer.value : undefined;
  const simulated = activeModel.value?.dataset?.simulated ?? false;
  return (
    <div class="user-chooser">
      <Combobox
        label="Whose similarity"
        placeholder="Everyone’s"
        icon="you"
        value={user ?? ""}
        find={async (text) => usersFor(known, text).map(choiceOf)}
        onChoose={({ id }) => onChoose(id)}
      >
        {user !== null && (
          <Button look="plain" onClick={() => onChoose(null)}>
            Everyone’s
          </Button>
        )}
      </Combobox>
      <p class="soft small">
        {simulated && "Users are simulated. "}
        {user === null ? "Choose one to see the list through their taste." : reason && `This metric: ${reason}.`}
      </p>
    </div>
  );
}

const choiceOf = ({ id, events, metric }: Pick<ListedUser, "id"> & Partial<ListedUser>): Choice => ({
  id,
  name: id,
  note: events === undefined ? undefined : `${events} events${metric === "base" ? ", no own metric" : ""}`,
});
