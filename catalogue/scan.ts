/** `scan: {clamd: …}`: ClamAV's daemon scans each file before anything is delivered. */

import type { FieldError, Finding, MakePlugin, Submission } from 'form-relay/plugin';
import { Clamd, reasonOf, type Verdict } from './clamd.ts';

const make: MakePlugin = (kit) => {
  /** Resolves with the outcome that the files cause; `undefined` if all are clean. */
  async function scanFiles(clamd: Clamd, deliversTooLarge: boolean, submission: Submission) {
    const { files, services, trace } = submission;
    if (files.size === 0) return undefined;
    if (services.isDryRun) {
      trace?.note(`${clamd.address} is not asked in a dry run`);
      return undefined;
    }
    const errors: FieldError[] = [];
    const unscanned: string[] = [];
    for (const [field, sent] of files)
      for (const [at, { name, bytes }] of sent.entries()) {
        let verdict: Verdict;
        try {
          verdict = await clamd.scan(bytes, submission.signal);
        } catch (error) {
          submission.log('error', 'scan_failed', { reason: `${clamd.address}: ${reasonOf(error)}` });
          return { ...kit.refused(500, 'undelivered'), kind: 'undelivered', by: 'scan', why: 'scan_failed' };
        }
        if (verdict === 'clean') continue;
        if (verdict === 'too_large' && deliversTooLarge) {
          unscanned.push(field);
          continue;
        }
        if (verdict !== 'too_large') submission.log('warn', 'virus_found', { field, ...verdict });
        const code = verdict === 'too_large' ? 'file_too_large_to_scan' : 'file_infected';
        errors.push(kit.problem(field, code, { name }, at));
      }
    if (unscanned.length > 0)
      submission.log('warn', 'files_unscanned', { fields: [...new Set(unscanned)], limit: clamd.address });
    return errors.length > 0 ? { ...kit.refused(422, errors), by: 'scan' } : undefined;
  }

  return {
    name: 'scan',
    summary: 'Scans files with ClamAV before delivery.',
    messages,
    features: [
      kit.feature({
        name: 'scan',
        keys: {
          form: {
            scan: kit.key.optional(
              'Scans each file for viruses before delivery (docs/virus-scanning.md).',
              kit.key.block(
                {
                  clamd: kit.key.required(
                    'Address of ClamAV’s daemon: `host:port`, or the path of its socket, such as `/run/clamav/clamd.ctl`.',
                    kit.key.text(),
                  ),
                  too_large: kit.key.withDefault(
                    'refuse',
                    'Action for files larger than ClamAV accepts (`StreamMaxLength`): `refuse` them, or `deliver` them unscanned.',
                    kit.key.oneOf(['refuse', 'deliver']),
                  ),
                },
                '{clamd: "127.0.0.1:3310"}',
              ),
            ),
          },
        },
        configure: ({ form: { scan }, fields }, at) => {
          if (!scan?.clamd) return undefined;
          const place = at.in('scan', 'clamd');
          const clamd = new Clamd(scan.clamd);
          if (!clamd.connection) return place.error('expected host:port, or the path of a socket');
          if (!fields.some(({ type }) => type === 'file')) place.warning('this form has no file field');
          return {
            provides: clamd,
            cards: [{ name: 'scan', says: `refuses files in which ${scan.clamd} finds a virus` }],
            afterValidation: kit.guard((submission) =>
              scanFiles(clamd, scan.too_large === 'deliver', submission),
            ),
          };
        },
      }),
    ],
    checks: [
      kit.check({
        name: 'Virus scanners',
        probe: async ({ config, now, signal }) => {
          const provided = [...(config?.forms.values() ?? [])].flatMap((form) => [...form.provided.values()]);
          const used = provided.filter((one) => one instanceof Clamd);
          const distinct = new Map(used.map((clamd) => [clamd.address, clamd]));
          return Promise.all([...distinct.values()].map((clamd) => probe(clamd, now(), signal)));
        },
      }),
    ],
  };
};

export default make;

/** Whether the scanner responds, and how old its signatures are. */
async function probe(clamd: Clamd, now: number, signal: AbortSignal): Promise<Finding> {
  const subject = clamd.address;
  const failure = (says: string): Finding => ({
    level: 'failure',
    subject,
    says: `${says}; until this is fixed, submissions with files are answered with 500`,
    remedy: 'Check that clamd runs and listens there, and that the user of the relay may connect to it.',
  });
  try {
    if ((await clamd.ask('PING', signal)) !== 'PONG') return failure('the server that answers is not clamd');
    // `ClamAV 1.4.6/27500/Mon Nov 19 09:24:05 2026`; without signatures, only the version.
    const version = (await clamd.ask('VERSION', signal)) ?? '';
    const [program, , day] = /^[\w ./:-]{1,200}$/.test(version) ? version.split('/') : [];
    const days = Math.floor((now - Date.parse(`${day} UTC`)) / 86_400_000);
    const says = `${program} answers; its signatures are ${day ? `of ${day}` : 'missing'}`;
    if (days <= 7) return { level: 'ok', subject, says };
    return { level: 'warning', subject, says, remedy: 'Check that freshclam runs and reaches its mirrors.' };
  } catch (error) {
    return failure(reasonOf(error));
  }
}

type Texts = Readonly<Record<string, string>>;

const infected: Texts = {
  ar: 'عثر فاحص الفيروسات على شيء في الملف ⁨{name}⁩. يُرجى عدم إرساله.',
  cs: 'Antivirus našel něco v souboru {name}. Neodesílejte ho prosím.',
  da: 'Virusscanneren fandt noget i filen {name}. Send den ikke.',
  de: 'Der Virenscanner hat in der Datei {name} etwas gefunden. Bitte senden Sie sie nicht.',
  en: 'The virus scanner found something in the file {name}. Please do not send it.',
  es: 'El antivirus ha encontrado algo en el archivo {name}. No lo envíe, por favor.',
  fi: 'Virustarkistus löysi jotain tiedostosta {name}. Älä lähetä sitä.',
  fr: 'L’antivirus a trouvé quelque chose dans le fichier {name}. Veuillez ne pas l’envoyer.',
  he: 'סורק הווירוסים מצא משהו בקובץ ⁨{name}⁩. נא לא לשלוח אותו.',
  it: 'L’antivirus ha trovato qualcosa nel file {name}. Non lo invii.',
  ja: 'ファイル「{name}」からウイルス対策ソフトが問題を見つけました。送信しないでください。',
  ko: '바이러스 검사에서 파일 {name}에 문제가 발견되었습니다. 보내지 마세요.',
  nl: 'De virusscanner heeft iets gevonden in het bestand {name}. Verstuur het niet.',
  pl: 'Skaner antywirusowy znalazł coś w pliku {name}. Nie wysyłaj go.',
  pt: 'O antivírus encontrou algo no ficheiro {name}. Não o envie, por favor.',
  sv: 'Virusskannern hittade något i filen {name}. Skicka den inte.',
  tr: 'Virüs tarayıcısı {name} dosyasında bir şey buldu. Lütfen göndermeyin.',
  uk: 'Антивірус знайшов щось у файлі {name}. Не надсилайте його.',
  zh: '病毒扫描程序在文件“{name}”中发现了问题，请不要提交该文件。',
};

const tooLarge: Texts = {
  ar: 'الملف ⁨{name}⁩ أكبر من أن يُفحص بحثًا عن الفيروسات.',
  cs: 'Soubor {name} je příliš velký na to, aby ho bylo možné zkontrolovat antivirem.',
  da: 'Filen {name} er for stor til at blive tjekket for virus.',
  de: 'Die Datei {name} ist zu groß, um auf Viren geprüft zu werden.',
  en: 'The file {name} is too large to be checked for viruses.',
  es: 'El archivo {name} es demasiado grande para que el antivirus lo revise.',
  fi: 'Tiedosto {name} on liian suuri virustarkistukseen.',
  fr: 'Le fichier {name} est trop volumineux pour être analysé par l’antivirus.',
  he: 'הקובץ ⁨{name}⁩ גדול מדי לבדיקת וירוסים.',
  it: 'Il file {name} è troppo grande per il controllo antivirus.',
  ja: 'ファイル「{name}」は大きすぎてウイルスの検査ができません。',
  ko: '파일 {name}의 크기가 너무 커서 바이러스를 검사할 수 없습니다.',
  nl: 'Het bestand {name} is te groot om op virussen te worden gecontroleerd.',
  pl: 'Plik {name} jest za duży, aby sprawdzić go pod kątem wirusów.',
  pt: 'O ficheiro {name} é demasiado grande para ser verificado pelo antivírus.',
  sv: 'Filen {name} är för stor för att kontrolleras mot virus.',
  tr: '{name} dosyası virüs taraması için çok büyük.',
  uk: 'Файл {name} завеликий, щоб перевірити його на віруси.',
  zh: '文件“{name}”太大，无法进行病毒扫描。',
};

const messages = Object.fromEntries(
  Object.entries(infected).map(([language, text]) => [
    language,
    { file_infected: text, file_too_large_to_scan: tooLarge[language] ?? '' },
  ]),
);
