/** The words near a decoy that tell people to leave it empty. */

/** Requests to leave a decoy empty, as pages write them: one line for each language. */
const requests = [
  /(leave|keep)\b.{0,40}\b(empty|blank|alone|unchanged|untouched)|should be (left )?(empty|blank|unchanged)|(do not|don.?t) (fill|complete|touch|change)( (this|it|in|out|anything|here|the|field|box))*\s*([.!:),;]|if\b|$)|for validation purposes|if you.?(a|')?re (a )?(human|a bot|a robot|a person)|if you (can )?see this/,
  /(nicht|leer|frei|unverändert)\b.{0,12}\b(ausfüllen|lassen|bleiben|ausgefüllt)|freilassen|zur validierung|nicht verändert werden/,
  /laisse[rz]?\b.{0,25}\b(vide|inchangé|blanc)|ne (pas )?rempli(r|ssez)|ne rien (saisir|écrire|mettre)|(rester|resté|laissé)\b.{0,6}(vide|inchangé)|fins de validation/,
  /(dej[ae]r?|mantener|permanecer|quedar)\b.{0,25}(vac[ií]o|en blanco|sin cambios)|no\b.{0,6}\b(rellen|complet|llen)|campo de validación/,
  /laat\b.{0,25}\bleeg|leeg (te )?(laten|blijven)|niet invullen|vul dit\b.{0,12}\bniet in|validatiedoeleinden/,
  /lascia\w*\b.{0,25}\b(vuot|in bianco|inalterat)|non (compilare|riempire)|serve per la convalida/,
  /(deix|mant)\w*\b.{0,25}\b(em branco|vazio|inalterad)|não (preench|alter)|fins de validação/,
  /(pozostaw|zostaw)\b.{0,25}\bpuste|nie (wypełnia|zmienia)/,
  /nech(te|ejte)\b.{0,25}prázdn|nevyplňujte|nechajte\b.{0,25}prázdn|nevypĺňajte/,
  /lämna\b.{0,25}\btom|fyll inte i|lad\b.{0,25}\b(tomt|være)|udfyld ikke|(la|la dette)\b.{0,25}\btomt|ikke fyll/,
  /jätä\b.{0,25}tyhjäksi|älä täytä|hagyja?\b.{0,25}üres|ne töltse|(l[aă]s)\w*\b.{0,25}\b(gol|necompletat)|nu completa/,
  /boş bırak|doldurmay|оставьте.{0,25}пуст|не заполня|залиште.{0,25}порожн|не заповн|αφήστε.{0,25}κεν|μην συμπληρ/,
  /空白のまま|空欄のまま|空のまま|何も入力しない|留空|保持空白|(请勿|請勿)填[写寫](此|本|$)|비워 ?[두주]|아무것도 입력하지|فارغ|لا تملأ|השאר.{0,15}ריק|אל תמלא/,
];

/** "Leave blank if you have none" is meant for people, unless the condition is that they are people. */
const condition =
  /\b(if|unless|when|until|where|falls|wenn|sofern|soweit|si|sauf|se|caso|als|indien|tenzij|jeśli|jeżeli|pokud|om|hvis|jos|ha|dacă|eğer)\b|\bto (use|keep|receive|get|remain|stay|skip)\b|\bfor (no|none|all|any|default|unlimited|the)\b|если|якщо|場合|如果|없으면/;
const human =
  /human|person\b|robot|\bbots?\b|spam|mensch|humain|humano|umano|\bmens\b|człowiek|människa|see this/;

export function asksToStayEmpty(words: string): boolean {
  const sentences = words.toLowerCase().split(/\n|(?<=[.!?。])\s/);
  return sentences.some(
    (text) => requests.some((request) => request.test(text)) && (!condition.test(text) || human.test(text)),
  );
}
