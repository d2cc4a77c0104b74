/** Every sentence that a visitor reads, by code. `{name}` stands for a parameter of the message. */
export const en = {
  // Why a submission was refused before anybody looked at its fields.
  form_name_missing: 'the form name is missing',
  content_type_unsupported: 'the Content-Type must be application/x-www-form-urlencoded',
  body_unreadable: 'the body could not be read',
  body_too_long: 'the body is over 64 KB',
  body_compressed: 'the body must not be compressed',
  body_malformed: 'the body is not valid application/x-www-form-urlencoded',

  // Answers to a submission as a whole.
  form_expired: 'form expired, please reload',
} as const;
