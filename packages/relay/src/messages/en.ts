/** Every sentence that a visitor reads, by code. `{name}` stands for a parameter of the message. */
export const en = {
  // Why a submission was refused before anybody looked at its fields.
  form_name_missing: 'the form name is missing',
  content_type_unsupported: 'the Content-Type must be {types}',
  body_unreadable: 'the body could not be read',
  body_too_long: 'the body is over 64 KB',
  body_compressed: 'the body must not be compressed',
  body_malformed: 'the body is not valid application/x-www-form-urlencoded',
  body_over_limit: 'the body is over {size}',
  text_too_long: 'everything but the files is over 64 KB',
  multipart_malformed: 'the body is not valid multipart/form-data, or ends too early',
  body_not_utf8: 'the text in the body is not UTF-8',
  too_many_parts: 'the body has over {max} parts',
  json_malformed: 'the body is not a JSON object',
  json_too_deep:
    'the JSON may hold text, numbers, true, false and lists of these; found something else at {pointer}',

  // Answers to a submission as a whole.
  invalid: '{errors}',
  form_expired: 'form expired, please reload',
  form_ready_again: 'The form had expired. It is ready again: please send it once more.',
  // It came without its token, which it has now. Nothing that was typed is lost.
  try_again: 'Please check your entries and send the form once more.',
  captcha_failed: 'The captcha was not solved. Please try again.',
  // Doubt, and what is asked of whom it concerns.
  origin_refused: 'This form cannot be sent from this page. Please tell its owner.',
  rate_limited:
    'This form was sent several times from your network just now. You can send it again in {wait}.',
  rate_limited_page:
    'This form was sent several times from your network just now. What you typed is not lost: please go back, and send it again in {wait}.',
  script_needed:
    'This form can only be sent with JavaScript. Please turn it on, and send the form once more.',
  challenge_proof:
    'Nothing was sent yet, as one more check is needed. Everything you typed is still here: please send the form once more.',
  challenge_captcha:
    'Nothing was sent yet, as one more check is needed. Everything you typed is still here: please solve the task below, and send the form once more.',
  challenge_question: 'Type the number {number}',
  challenge_why: 'It shows that you are a person, and not a program.',
  // What was typed there was something else.
  challenge_wrong: 'That was not the number. Please type the new one.',
  // The form came twice, as from a double click, or where its answer was reloaded; the first may have been delivered.
  challenge_used:
    'This form was sent before. If you saw that it arrived, there is nothing left to do. If not, please send it once more.',
  // Below a captcha, as another way.
  challenge_other: 'If you cannot solve it, type a number instead.',
  proof_working: 'One moment, please: your browser is doing a short check…',
  receipt: 'Your receipt: {code}',
  unknown_form: 'there is no such form',
  unknown_page: 'there is no such page',
  // The page that confirms a submission, once its address is too old, or was never one of the relay's.
  sent_page_expired:
    'This page has expired. If you saw that the form was sent, there is nothing left to do. If not, please fill it in again.',
  method_not_allowed: 'use {method}',
  nothing_sent: 'Nothing was sent. Please fill in the form and send it.',
  throttled: 'too many requests; please try again in a moment',
  overloaded: 'the service is busy; please try again in a moment',
  reload_later:
    'There are too many requests at the moment. Please wait a moment, and reload this page to go on.',
  go_back_later:
    'There are too many requests at the moment. What you typed is not lost: please go back, wait a moment and send it again.',
  slow_down_page:
    'There are too many requests at the moment. Everything you typed is still here: please wait a moment and send it again.',
  reload_after_error: 'Something went wrong. Please wait a moment, and reload this page to try again.',
  unknown_form_page: 'There is no form at this address.',
  too_long_page: 'This is more than can be sent. What you typed is not lost: please go back and shorten it.',
  uploads_busy: 'too many files are being sent just now; please try again in a moment',
  uploads_busy_page:
    'Too many files are being sent just now. What you typed is not lost: please go back, wait a moment and send it again.',
  upload_too_large_page:
    'This is more than {size}, which is all that can be sent at once. What you typed is not lost: please go back and choose smaller files.',
  busy: 'this could not be checked just now; please send it again in a few seconds',
  undelivered: 'the submission could not be delivered; please try again later',
  not_delivered_page:
    'Your message could not be delivered. Everything you typed is still here: please try again in a moment.',
  no_config: 'the forms are not available at the moment',
  no_token_secret: 'this form is not set up completely; please tell its owner',
  internal_error: 'something went wrong; please try again later',

  // A required field that was left empty.
  missing: 'Enter a value.',
  missing_email: 'Enter an e-mail address like name@example.com.',
  missing_url: 'Enter a web address like https://example.com.',
  missing_tel: 'Enter a telephone number.',
  missing_number: 'Enter a number.',
  missing_date: 'Enter a date.',
  missing_file: 'Choose a file.',
  missing_tick: 'Tick this box.',
  missing_option: 'Choose an option.',
  missing_options: 'Choose at least one option.',
  // Not the hint's own words: beside it, they would read as if nothing had happened.
  missing_several_options: 'You chose none. Choose at least {min}.',

  // A value that a field does not take.
  // Of files. `name` is the file's.
  file_not_sent: 'The file did not arrive, only its name. Please choose it again.',
  file_empty: 'The file {name} is empty.',
  file_too_large: 'The file {name} is too large: it may have at most {size}.',
  files_too_large: 'Together, the files may have at most {size}. Choose smaller ones, or fewer.',
  file_not_accepted: 'The file {name} is of a kind that is not taken here. Choose another: {kinds}.',
  file_is_another: 'The file {name} is not what its name says. Please save it again, or choose another.',
  file_refused: 'Files like {name} are not taken, because they can do harm.',
  file_infected: 'The virus scanner found something in the file {name}. Please do not send it.',
  file_too_large_to_scan: 'The file {name} is too large to be checked for viruses.',
  too_many_files: {
    count: 'max',
    one: 'Choose {max} file only.',
    other: 'Choose at most {max} files.',
  },
  // Browsers forget chosen files where the form is shown again without its script.
  file_choose_again: 'Please choose the file again: for your safety, browsers forget it.',
  // What a file may be like, said before anything is wrong.
  file_hint: 'Up to {size}.',
  file_hint_kinds: 'Up to {size}: {kinds}.',
  file_hint_several: 'Up to {max} files of {size} each.',
  file_hint_several_kinds: 'Up to {max} files of {size} each: {kinds}.',
  file_hint_together: 'All together up to {size}.',
  files_image: 'image',
  files_office: 'Office document',
  files_text: 'text file',
  files_audio: 'audio file',
  files_video: 'video',
  files_archive: 'archive',
  file_drop: 'Or drop files here.',
  file_remove: 'Remove {name}',
  file_sending: 'Sending: {percent} %',
  file_not_expected: 'This field takes no file. Leave the file out.',
  too_many_bytes: 'Enter a shorter text: this one is over 10,000 bytes.',
  too_short: {
    count: 'min',
    one: 'Enter at least {min} character.',
    other: 'Enter at least {min} characters.',
  },
  too_long: { count: 'max', one: 'Enter at most {max} character.', other: 'Enter at most {max} characters.' },
  wrong_format: 'Enter a value in the expected format.',
  wrong_format_described: 'Use the expected format: {help}',
  not_an_email: 'Enter an e-mail address like name@example.com.',
  not_a_url: 'Enter a web address like https://example.com.',
  not_a_number: 'Enter a number, such as 42.',
  not_a_whole_number: 'Enter a whole number.',
  number_too_small: 'Enter a number that is {min} or more.',
  number_too_large: 'Enter a number that is {max} or less.',
  number_off_step: 'Enter a number in steps of {step}, counted from {base}.',
  not_a_date: 'Enter a date, such as 2030-12-31.',
  date_too_early: 'Enter a date that is {min} or later.',
  date_too_late: 'Enter a date that is {max} or earlier.',
  not_a_tick: 'Tick the box or leave it empty.',
  not_an_option: 'Choose from the options.',
  more_than_one_option: 'Choose one option.',
  too_few_options: 'You chose {chosen}. Choose at least {min}.',
  too_many_options: 'You chose {chosen}. Choose at most {max}.',
  options_outside_range: 'You chose {chosen}. Choose {min} to {max}.',
  wrong_number_of_options: 'You chose {chosen}. Choose {max}.',

  // What a field says before anything is wrong.
  choose_at_least: 'Choose at least {min}.',
  choose_at_most: 'Choose at most {max}.',
  choose_range: 'Choose {min} to {max}.',
  choose_exactly: 'Choose {max}.',
  select_prompt: 'Choose an option',
  url_format: 'A web address like https://example.com',

  // What stands around the fields of a form.
  confirmation: 'Thank you.',
  submit: 'Send',
  asterisk_note: '* means required.',
  required: '(required)',
  field_error: '{field}: {error}',
  decoy_label: 'Leave this field empty',
  page_title_with_errors: 'Error: {title}',
  page_title_problem: 'There is a problem',
  page_title_sent: 'Sent: {title}',
  // Above links to the fields with errors.
  summary_title: 'There is a problem',

  // A form in steps.
  step_of: 'Step {step} of {steps}',
  back: 'Back',
  next: 'Next',

  // When a field applies, where the page cannot hide it.
  only_if_is: 'only if “{field}” is {values}',
  only_if_is_not: 'only if “{field}” is not {values}',
  only_if_filled: 'only if “{field}” is filled in',
  only_if_empty: 'only if “{field}” is empty',
  one_or_other: '{one} or {other}',

  // For visitors without JavaScript. `{link}` reads `without_script_link`.
  without_script: 'Without JavaScript, please use {link}.',
  without_script_link: 'this form',
  without_script_label: 'Sending',
  without_script_option: 'This form needs JavaScript here',
  captcha_without_script: 'This form needs JavaScript for its captcha.',
  // A link in the form's place, where its script did not load.
  open_form: 'Open the form',
  not_loaded: 'The form could not be loaded.',

  // What a form says by script.
  sending: 'Sending…',
  not_sent: 'The form could not be sent. Please check your connection and try again.',
  not_sent_yet: 'One moment, please: the form is still loading, and is sent then.',
  not_ready: 'The form could not be sent. Please check your connection and try again in a moment.',
  // Where an address is to be confirmed before anything is delivered: what the form answers, the mail's link, its page.
  opt_in_sent: 'Almost done: we have sent you an e-mail. Please click the link in it.',
  opt_in_limited:
    'We have sent e-mails to this address already. Please look for them, in your spam folder, too, or try again in an hour.',
  opt_in_busy: 'We cannot send you an e-mail at the moment. Please try again in an hour.',
  opt_in_address: 'Enter an e-mail address at which you read your mail.',
  opt_in_too_long: 'Enter a shorter text.',
  opt_in_button: 'Confirm',
  opt_in_page: 'One moment, please. If nothing happens, please press the button.',
  opt_in_failed: 'That did not work. Please wait a moment, and press the button again.',
  opt_in_expired: 'This link has expired. Please fill in the form again.',
  opt_in_unknown:
    'This link is not complete. Please open it in the e-mail once more, or fill in the form again.',
  // What mails call the page on which the form was filled in.
  mail_page: 'Page',
  // What they call the points of one that may be spam.
  mail_doubt: 'Possible spam',
} as const;
