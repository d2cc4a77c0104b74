/** Every sentence that a visitor reads, by code. `{name}` stands for a parameter of the message. */
export const en = {
  // Answers to a submission as a whole.
  form_expired: 'form expired, please reload',
} as const;
