import { join } from 'node:path';
import type { Sinks } from './sinks.ts';

/** Everybody and everything in it is made up. */
export const demoConfig = (
  folder: string,
  { mailPort, crmPort }: Pick<Sinks, 'mailPort' | 'crmPort'>,
): string => {
  const at = (name: string) => JSON.stringify(join(folder, name));
  return `# The demo of Form Relay: everybody in it is made up. All mails and requests stay on this machine.
keep: {in: ${at('waiting')}}
counted_in: ${at('counts')}
look:
  name: Harbour Joinery
  logo: logo.png
  cover: harbour.svg
  accent: "#0f766e"
  corner: large
  footer: Harbour Joinery and all its customers are made up.
forms:
  quote:
    title: Ask for a quote
    submit_label: Ask for a quote
    confirmation: Thank you! We answer within two working days.
    keep: failed # what an output does not take waits in the inbox
    offline: true # without a network, the visitor's browser keeps it
    fields:
      - {name: name, label: Your name, required: true, autocomplete: name}
      - {name: email, type: email, label: E-mail, required: true, autocomplete: email}
      - {name: work, type: radios, label: What shall we build?, required: true, options: [Kitchen, Wardrobe, Staircase, Something else]}
      - {name: what, label: What is it?, required: true, visible_when: {field: work, is: Something else}}
      - {name: wood, type: checkboxes, label: Which wood do you like?, options: [Oak, Ash, Walnut, I need advice]}
      - {name: budget, type: select, label: Budget, options: [Up to 2000, 2000 to 5000, 5000 to 10000, More]}
      - {name: message, type: textarea, label: Tell us more, rows: 3, max_length: 2000}
      - {name: plan, type: file, label: A sketch or a photo, accept: [image, pdf, text], multiple: true}
      - {name: rating, type: rating, label: How easy was it to find us?}
    spam: {honeypot: website, doubt: {tag: 5}, signals: {writing: 0}, keep_dropped: 30d} # customers write in any script
    outputs:
      - {type: folder, path: ${at('archive')}}
      - type: smtp
        host: 127.0.0.1
        port: "${mailPort}"
        from: website@joinery.localhost
        to: Office <office@joinery.localhost>
        subject: "{{ .fields.name }} asks for a quote"
        reply_to: "{{ .fields.email }}"
        html: true
      - {type: http_post, url: "http://127.0.0.1:${crmPort}/leads", mapping: {name: name, mail: email, about: work}, on_error: continue}
  feedback:
    title: How did we do?
    keep: failed
    fields:
      - {name: name, label: Your name, autocomplete: name}
      - {name: rating, type: rating, label: Our work, required: true}
      - {name: again, type: radios, label: Would you order from us again?, options: ["Yes", Perhaps, "No"]}
      - {name: message, type: textarea, label: Anything else?}
    spam: {honeypot: website, doubt: {tag: 5}, signals: {writing: 0}, keep_dropped: 30d} # customers write in any script
    outputs:
      - {type: folder, path: ${at('archive')}}
      - {type: smtp, host: 127.0.0.1, port: "${mailPort}", from: website@joinery.localhost, to: office@joinery.localhost, subject: "Feedback: {{ .fields.rating }} of 5", html: true}
`;
};
