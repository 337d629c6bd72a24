import type { ListedUser } from "@nearkin/client";
import { useState } from "preact/hooks";
import { tokenUser } from "../api/session.ts";
import { Button } from "../design/button.tsx";
import { type Choice, Combobox } from "../design/combobox.tsx";
import { activeModel } from "../engine/active-model.ts";
import { listUsers } from "./user-list.ts";
import { usersFor } from "./users.ts";

interface UserChooserProps {
  user: string | null;
  /** Where the user's metric comes from. */
  reason: string | undefined;
  onChoose: (user: string | null) => void;
}

/** Whose eyes to look with: everyone's, or a user's own metric. */
export function UserChooser({ user, reason, onChoose }: UserChooserProps) {
  const [refused, setRefused] = useState(false);
  const own = tokenUser.value;
  const simulated = activeModel.value?.dataset?.simulated ?? false;
  return (
    <div class="user-chooser">
      <Combobox
        label="Whose similarity"
        placeholder="Everyone’s"
        icon="you"
        value={user ?? ""}
        find={async (text) => {
          const known = own === undefined ? await listUsers() : { users: [{ id: own }], next: null };
          setRefused(known === undefined);
          return usersFor(known, text).map(choiceOf);
        }}
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
        {refused && "Only a key with the scope admin can list them: type an id. "}
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
