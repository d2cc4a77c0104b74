import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configSchemaText } from '@form-relay/runtimes/inspect';
import { quoted } from '@form-relay/studio/samples';
import { calledAs } from './called_as.ts';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import type { GlobalOptions } from './usage.ts';

/** Written beside the config, where every editor finds it: the schema has no public address. */
export const schemaName = 'webform.schema.json';

/** Writes a first config and the schema that editors read, and overwrites nothing. */
export const writeFirstConfig = (file: string | undefined, options: GlobalOptions): Promise<void> =>
  writeConfig(file, options, firstConfig, ({ config, relay }) => ({
    wrote: `Wrote ${config}: a contact form that delivers nowhere until you say where.`,
    next: [
      [`${relay} dev`, 'try the form; nothing is sent'],
      [`${relay} config validate`, 'check the config after each change'],
    ],
  }));

interface Said {
  readonly wrote: string;
  /** News to read before the next steps. */
  readonly news?: string;
  readonly next: readonly (readonly [command: string, purpose: string])[];
}

/** Writes a config that is new, and says what was done and what to do next. `relay` is how to call it with this config. */
export async function writeConfig(
  file: string | undefined,
  options: GlobalOptions,
  text: string,
  say: (names: { readonly config: string; readonly relay: string }) => Said,
): Promise<void> {
  const config = file ?? configPath(options.config);
  if (!(await create(config, text))) {
    throw new CommandFailed(
      `${config} already exists and is left as it is; ${calledAs} init FILE writes another one`,
    );
  }
  const schema = join(dirname(config), schemaName);
  const schemaIsNew = await create(schema, await configSchemaText());
  const relay = config === configPath(undefined) ? calledAs : `${calledAs} --config ${quoted(config)}`;
  const { wrote, news = '', next } = say({ config, relay });
  const width = Math.max(...next.map(([command]) => command.length));
  process.stdout.write(`${wrote}
${schemaIsNew ? 'Wrote' : 'Left'} ${schema}${schemaIsNew ? '' : ' as it was'}: editors complete and check the config with it.
${news}
Next:
${next.map(([command, purpose]) => `  ${command.padEnd(width)}    ${purpose}\n`).join('')}`);
}

/** `false` when the file exists already. Rejects with a `CommandFailed` when it cannot be written. */
async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const reason = code === 'ENOENT' ? 'there is no such folder' : `the file cannot be written (${code})`;
    throw new CommandFailed(`${file}: ${reason}`);
  }
}

/** The first lines of every config that is written. */
export const configHeader = `# yaml-language-server: $schema=${schemaName}
# The line above lets editors complete and check this file. After an update of the relay:
#   relay config schema > ${schemaName}
`;

/** Sentences are comments that begin with a capital letter; the others are keys, to be used by removing their `# `. */
const firstConfig = `${configHeader}
forms:
  # The form's name. Pages send it to /api/v1/submit/contact.
  contact:
    title: Write to us
    confirmation: Thank you, we will be in touch.
    # Where browsers go afterwards, when a page has neither htmx nor our script:
    # redirect: https://example.com/thanks

    # What visitors fill in. A field without a type is one line of text.
    # Types: text, email, url, tel, number, date, textarea, select, radios, checkboxes, checkbox, file, hidden.
    fields:
      - {name: name, required: true, autocomplete: name}
      - {name: email, type: email, required: true, autocomplete: email}
      - name: topic
        type: select
        label: What is it about?
        options: [A question, An order, Something else]
      # Shown only while another field holds some value:
      # - {name: order, label: Order number, visible_when: {field: topic, is: An order}}
      - name: message
        type: textarea
        required: true
        # help: A few sentences are enough.
        # max_length: 2000

    # Bots are dropped in silence; the log says so.
    spam:
      # A field that people do not see. Bots fill it in.
      honeypot: website
      # Marks messages that come sooner than people type, or read like spam; drops those without the form's token.
      # It needs the environment variable FORM_TOKEN_SECRET, a long random text.
      # min_fill_seconds: 3
      # too_fast: doubt
      # doubt: tag

    # A captcha, where the quiet checks are not enough:
    # captcha:
    #   provider: turnstile
    #   site_key: 1x00000000000000000000AA
    #   secret: '{{ env "TURNSTILE_SECRET" }}'

    # Where each submission goes: to all of these, at the same time.
    # A visitor reads the confirmation only when every one of them has accepted it.
    outputs:
      # For Slack, Google Sheets, GitHub and many others, relay init --output NAME writes what they need.
      # A POST to your CRM or webhook. This address does not exist: put yours here.
      - type: http_post
        url: https://your-server.invalid/hook
        # A secret stays in the environment, out of this file:
        # headers: {Authorization: 'Bearer {{ env "HOOK_TOKEN" }}'}
        # All fields, under their own names. For some of them, or other names: {full_name: name, …}
        mapping: "*"
        # Values that no visitor sends:
        static:
          source: "{{ .form.id }} form"
          # received: "{{ .submitted_at }}"
        # When only this one fails, the visitor still reads the confirmation, and the log tells you:
        # on_error: continue

      # A mail to you. When you reply, you write to the visitor.
      # For Gmail, Microsoft 365 and others, relay init --mail NAME writes what they need.
      # - type: smtp
      #   host: smtp.example.com
      #   username: forms
      #   password: '{{ env "SMTP_PASSWORD" }}'
      #   from: website@example.com
      #   to: you@example.com
      #   reply_to: "{{ .fields.email }}"
      #   subject: "Message from {{ .fields.name }}"
      #   mapping: "*"
`;
