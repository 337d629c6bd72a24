// What an item or a user is for. In arrays a role is one byte.

/**
 * Roles of items: `train` has events in training, `validation` and `test` play new items and are met in truth/ only, `unseen` has no events
 * that count.
 */
export const itemRoles = { train: 0, validation: 1, test: 2, unseen: 3 } as const;

export type ItemRole = keyof typeof itemRoles;

/** The roles that have truths. */
export type QueryRole = "validation" | "test";

/** SQL that turns the column `role` into its code. */
export const roleCode = `CASE role ${Object.entries(itemRoles)
  .map(([role, code]) => `WHEN '${role}' THEN ${code}`)
  .join(" ")} END`;
