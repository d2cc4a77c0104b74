import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** All people and companies in it are made up. */
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

/** The logo is a PNG, because mails and PDFs show it, too. */
export const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAXgAAACACAMAAAA29YJUAAAAYFBMVEVHcEwYT0gSTUkPV1J8SRN8SRQSUk0RUUx8SRQrUkMQVlESTUkSTUkSTUkOdW17SBIcfXYVcf8T/xUPdm4TTkr///98ShXwxIqHu7d/nXxCjoNurai72da3sIPh7u2lzMipRN8qAAAAEXRSTlMATLswZqKigN4WZM/04sQy+6GhJrcAAAlwSURBVHja7Z3rlqMqEIWDKAjeslbSmYzpnLz/W5545+oFMPbMVP3qtkWTz82mKEjndIKAgICA+NeCcUrK8hIkypJQzoDpGuqBkA9xbvAD+4XAgakL0sdA1652ctkxCKjeEvyyb5w5MDZFedk9QPSfdHdw+iNtBuzGovfLxwI0L6Yz58+BP4PPT9zLywejBOBD0MtHgwLxXvCXDweYTRfk0+DBbD6d0UBm8+EZK0g+pODrx6MGyX8+pbl/vePu2Bjmr85OU3+1Uf+ZXsM4KdCfmUs+OvCPPy6jZIiS7PqOg8FzH6fZw2twAyWPmsibH/szo+bnrDnaUsucc+frEAeDJ4eAP5N58EKI4KdwBh/9FPDlMYqfMXmGUTbg5Wj0JIzogIwir6wIA/gl1SOjWiPf91z8BPDnnwj+1IPHRn8mvu85+wngXadArw78f64PbhV4JffpvYb+0+B7xX997wI+nwNPALxHJu8BHhTvM3kF8N7g3WwerMYbvJvNf07xjLfJEaIUG8C/D3PbrAAj/v6r+wNCbVP8vsY+4J1sPih4RrO2zsANlRmSN5NfFgldZQLPu5Q+N2xxQ1E+TpMN4BDNiHSbQjkJk6K9YfOii53Au9h8QPB4qr/kSFR6Xw1rwEdXE3hzw7axXKLIxE6BOW0fChl+7W5DhYdCsry/YfuadwPvYPPBPJ5RCdEEEAnlHnI1gGeZ0C6X/Aa3PaHgmKFIvW4xNGkvh3OlqDTNQpozuLWy5FSLf71qCbyDzQdTfCZXzyZxMRL1f+NEbtgdpoXUMBduxto/ZUyYL08P5iqDH3+dXtbQ066EX0OCb0vx3xL47Ta/Crw5qFJ4yZpKGo404Y3qLK4m8NdrhBhDNNcvG0kFi0KtEPVdZehAvei5Xt0YbhwFAV9LJuNq8x7giQIeSSU0YugO+TuhwZkKHknchL6C5N+pVjii8p0iXQ+D/xHcDBdBwJ//E8Hfvx1tfhX4IpLCqPho6Mcs19UVCTbBiJxOcnUwwHIrotRKyQJ4bgDfHaMoBPiXZDH38Tl8H57HE91PI+OMS51AEcWkcuU2udIjVPDEpvgs4ATqIXv7fXKex9EzV2pTPF8Aj+QHitQ8JlNfjRG8QfEkHPizYu534VHUxyqeOYNn8nX51dwj8GbFBwQ/WPq3sBDiZPNhZ66IRsYMYh34Pm/hC+DRgYofs/ezAN7J5sOB7+oFzcYE/c2uBC8foGbOS+D3VLzg5+LSn4vNh/L43mCajAV5gmemjGQ9+B0VP0r7pay5Oth8KMW3zAo8DYrO4McUhFvAH+fxL8HM5cXu7TYfCDwVkLiDz6XLIq0E0B04HaV4Sdcy+O02Hwh8LmTYyHVwbWdIBbNOmLQJgpKlR/sq/jzl7vr2js02H8bj8dUFfGGybK5VeE5WK+nMKJdf7W6K/5ZEre6r2WrzYbZ3YJEAdwVfKIyIcvdCfTFywmkaegKCv8tktQ1NG20+zIYmLIyDPF8Lvi8BMOGyEiIsk8QaxP6Edkwf1wN2UrzqJRr4jTY/v0w6Cz7ST6SIFtfcVqvhlhIcGhlR042GJ0P0sstQPY1o1Oxhtik+8gcvZpKWLXzbbH6GOkbDkpy0FIpJri/TCcsgEdf8CefG9z+tmhDaLIdon1HoFkL6lRA+Jaxa1be9er9MGOnjd8G8wb9UIzHsndxk89YXtG2bNheWR3oaeUSF5bsRsd5NxpY6nn6po6CURsJilPpkOu7Twkp/k0xYTsgzL/A6U9Om1S02Hwj8YD9NL6DySgmSGkTiHQrEc+M6tqBpAZ5hl8G4GP7mPq3CFkqPUtL/7eDlTNIKfovNB9sYhJsFzpYew4NXLW20afTb7Pu4FhGyn0WiIs+LiJov16yCF6R9JHjoD1s+YOSQSdq3aW+w+dO/Httqkkv749fbPIDfnknOfTBhtc0D+O2Z5Bz41TYP4LdnkrMfxVlr8wB+eyY5/xmolTYP4LdnkgsfPltn8wB+ZSb5dRfjMeyd/L7rsWpDJYDfsCnYuHdvJh4A3hV8/eUVZwDvCP7uB/4O4B3Bv/zAvwC8G/izp9XUAN51cH34cIfB1SePfxgSxvl0cjgH8njvsrC9K7j+aywA7wrO75/BAXhn8N2U9vsC4D8N3usffgJ4D/B+AeABPIAH8D8BfHy73VLTH6okTW9pmlSmP6bvVrF25Daem7x/SbT7DCHfLxkPK/dKpFNj6QZ/Lfg4nTCh1eBTL/BNG3HLTHUT75Jql/wLwVfpTYxkLfjxmCv4W8oskm/bs3Dgn7+CxDMo+PimRLoWfOoLXmrFhGfpKHgr+DoM+Dok+KpDEMfVqYoTI3kb+OGgGbxxLBnPrbpnY5a8q+DtVvPcVfBO4FPJbTvbiVeC7+G4gO/pxkbJuwreDr7eVfAu4GOlx7NUV5sZ/ETHDbyOd5C8s+BnBtfnnoJ3AZ+qR6qbEbPhSDpkfI7gtWat5JHpfv7g6z0F7wC+0vPlxPhwDODHi4VSfN/MXfBz6eTz1/O3RzznBO8Avn2ThixnDfjxuBt4Q9dqfa5yF/wc+PrXb59M/fec4B3BK4SY1gls4Ku+8Xw6mZjAsyo2DCbdy7E+NL8J1NMP/DPsBCox5A+rwbet4+3gp4hNUwZ3wc+Cr/2spr78HMV3pzJ38InxBboLfr5k8NwppQnl8UizACv4Hrkj+LSyFOScBT8Pvt4ppXECz/T3uTqrGX6otg6uqRW7UQnBimTPvQQfLo9P1oJvLphszmoSu6xjH6dZ2rS6l+A/O3ONDXPYtelkai237wneXfJP17JwkiapOeM21mqS02rwldHJl8BX1iHUD3y5k+QXBG//OqKub7PY0MX7anzSVidTvUy+AH4YLTdOoOKbpQ62K3hXyS8J3g6+ErKMan4dxDDszYJnNvD2enwydDQUGvzSd/3Vuwj+MvOfXBL7nKW3dfOC3DL4/tJbwbObuSLjB37xe3Sfewj+MvM9HyyxzlmUNdd47ZprLI8SG8F3p6SBwS9+rWi9h+Dnv8K4WV2y7CJw22UQ2xKjdeAtUyU/8Aetdp8gyiO4w9fUu39ZuldQ4H7CR4DHwP0QrwGnOUjyIPhjJA+CP0jyIPhjEhtIaY4xGzAaoTxy/hz3MwPeh9g8GPy2Wlmo4MBa0fxH3OYMetd9/gMjbAn+fgh5yGcsgXZFXyIgbHf63dCX4O4LhsN3YF9yMPdV7CkpA+Evy5ICdQgICAiIfyb+B0tbNKUz3TU+AAAAAElFTkSuQmCC',
  'base64',
);

export const cover = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 480" preserveAspectRatio="xMidYMid slice"><defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="#fde7c3"/><stop offset="1" stop-color="#f7b98a"/></linearGradient><linearGradient id="w" x2="0" y2="1"><stop stop-color="#2b9c93"/><stop offset="1" stop-color="#0f5f59"/></linearGradient></defs>
<path fill="url(#s)" d="M0 0h1600v300H0z"/><circle cx="1120" cy="176" r="62" fill="#fff3dc"/>
<path fill="#d98f6b" d="M0 236q180-96 360-22t330-40q190-66 350 30t300-8q160-64 260 16v88H0z"/><path fill="#8f6a5c" d="M0 268q220-60 420-12t400-18q260-54 420 12t360-6v56H0z"/>
<path fill="#7a4f3a" d="M150 206l46-34 46 34v76h-92z"/><path fill="#a9543f" d="M140 210l56-44 56 44h-14l-42-32-42 32z"/><path fill="#94604a" d="M252 222l34-26 34 26v60h-68z"/><path fill="#5e3a2b" d="M320 196l40-30 40 30v86h-80z"/><path fill="#c2694d" d="M310 200l50-40 50 40h-13l-37-28-37 28z"/><path fill="#fde7c3" d="M182 228h28v22h-28zM348 222h24v22h-24zM276 240h20v18h-20z"/>
<path fill="url(#w)" d="M0 282h1600v198H0z"/>
<g stroke="#fff3dc" stroke-linecap="round" stroke-width="4" opacity=".45"><path d="M1050 302h140M1076 322h92M1096 342h52M420 320h90M620 352h130M820 312h60M1330 336h110M230 350h80"/></g>
<g transform="translate(760 150)"><path fill="#fff" d="M12 0v132h92z"/><path fill="#fde7c3" d="M0 22v110h-66z"/><path stroke="#5e3a2b" stroke-width="6" d="M6-10v152"/><path fill="#a9543f" d="M-84 142h206l-34 42H-52z"/><path fill="#7d3b2b" d="M-68 158h178l-8 10H-60z"/></g>
<g transform="translate(1370 206)"><path fill="#fff3dc" d="M6 0v78h54z"/><path stroke="#5e3a2b" stroke-width="4" d="M3-6v90"/><path fill="#0b4a46" d="M-36 84h110l-18 24h-74z"/></g>
<g fill="#8a5a34"><path d="M0 404h560v22H0z"/><path fill="#a8713f" d="M0 390h560v18H0z"/><path fill="#6b4426" d="M60 426h20v54H60zM220 426h20v54h-20zM380 426h20v54h-20zM520 376h20v104h-20z"/></g><g stroke="#6b4426" stroke-width="3"><path d="M90 390v18M180 390v18M270 390v18M360 390v18M450 390v18"/></g></svg>`;

/** How the next deliveries should end. */
export type Mood = 'fine' | 'down' | 'refuses';

export interface Sinks {
  readonly mailPort: number;
  readonly crmPort: number;
  mail: Mood;
  crm: Mood;
  close(): void;
}

/**
 * Receives the demo's deliveries: a mail server and a CRM on this machine, which forward nothing.
 *
 * @param folder Stores the mails.
 */
export async function openSinks(folder: string): Promise<Sinks> {
  mkdirSync(folder, { mode: 0o700 });
  const moods: Pick<Sinks, 'mail' | 'crm'> = { mail: 'fine', crm: 'fine' };
  let mails = 0;
  const mail = createServer((socket) => {
    let text = '';
    let isData = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const answer = (line: string) => {
      const [word = ''] = line.toUpperCase().split(/[ :]/, 1);
      if (word === 'RCPT' && moods.mail === 'down')
        return say('451 4.3.0 the mail server is down for the demo');
      if (word === 'RCPT' && moods.mail === 'refuses') return say('550 5.1.1 no such mailbox, for the demo');
      if (word === 'DATA') {
        isData = true;
        return say('354 go on');
      }
      if (word !== 'QUIT') return say('250 ok');
      say('221 bye');
      socket.end();
    };
    socket.setEncoding('latin1').on('error', () => {});
    say('220 demo');
    socket.on('data', (chunk) => {
      text += chunk;
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          mails += 1;
          writeFileSync(join(folder, `${String(mails).padStart(4, '0')}.eml`), part, 'latin1');
          say('250 kept on this machine');
        } else answer(part);
      }
    });
  });
  const crm = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = { fine: 200, down: 503, refuses: 400 }[moods.crm];
      response.end();
    });
  });
  return Object.assign(moods, {
    mailPort: await portOf(mail),
    crmPort: await portOf(crm),
    close: () => {
      mail.close();
      crm.close();
      crm.closeAllConnections();
    },
  });
}

const portOf = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
