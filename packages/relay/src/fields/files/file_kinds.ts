/** A kind of file that the relay knows by its first bytes. */
export interface Kind {
  readonly name: string;
  readonly type: string;
  readonly endings: readonly string[];
  readonly alsoCalled: readonly string[];
  /** Kinds of one group may carry each other's endings. */
  readonly group: Group | undefined;
  /** Taken only where `accept` names it. */
  readonly canHarm: boolean;
}

export type Group = 'image' | 'office' | 'text' | 'audio' | 'video' | 'archive';

const known: Kind[] = [];

function kind(
  group: Group | undefined,
  canHarm: boolean,
  type: string,
  endings: string,
  alsoCalled = '',
  name = endings.split(' ', 1)[0] ?? '',
): Kind {
  const words = (text: string) => (text === '' ? [] : text.split(' '));
  const made = { name, type, endings: words(endings), alsoCalled: words(alsoCalled), group, canHarm };
  known.push(made);
  return made;
}

const safe = (group: Group | undefined, type: string, endings: string, alsoCalled = '') =>
  kind(group, false, type, endings, alsoCalled);

const inZip = 'application/zip application/x-zip-compressed';
const microsoft = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

export const pdf = safe(undefined, 'application/pdf', 'pdf', 'application/x-pdf');
export const epub = safe(undefined, 'application/epub+zip', 'epub', inZip);

export const png = safe('image', 'image/png', 'png apng', 'image/apng image/x-png');
export const jpeg = safe('image', 'image/jpeg', 'jpg jpeg jpe jfif', 'image/jpg image/pjpeg');
export const gif = safe('image', 'image/gif', 'gif');
export const webp = safe('image', 'image/webp', 'webp');
export const avif = safe('image', 'image/avif', 'avif');
export const heic = safe('image', 'image/heic', 'heic heif hif', 'image/heif image/heic-sequence');
export const tiff = safe('image', 'image/tiff', 'tif tiff');
export const bmp = safe('image', 'image/bmp', 'bmp dib', 'image/x-ms-bmp image/x-bmp');
export const ico = safe('image', 'image/vnd.microsoft.icon', 'ico', 'image/x-icon');
export const jxl = safe('image', 'image/jxl', 'jxl');

export const docx = safe('office', `${microsoft}wordprocessingml.document`, 'docx dotx', inZip);
export const xlsx = safe('office', `${microsoft}spreadsheetml.sheet`, 'xlsx xltx', inZip);
export const pptx = safe('office', `${microsoft}presentationml.presentation`, 'pptx potx ppsx', inZip);
export const odt = safe('office', `${openDocument}text`, 'odt ott', inZip);
export const ods = safe('office', `${openDocument}spreadsheet`, 'ods ots', inZip);
export const odp = safe('office', `${openDocument}presentation`, 'odp otp', inZip);
export const odg = safe('office', `${openDocument}graphics`, 'odg otg', inZip);
export const doc = safe('office', 'application/msword', 'doc dot', 'application/x-msword');
export const xls = safe('office', 'application/vnd.ms-excel', 'xls xlt', 'application/msexcel');
export const ppt = safe('office', 'application/vnd.ms-powerpoint', 'ppt pps pot', 'application/mspowerpoint');
export const rtf = safe('office', 'application/rtf', 'rtf', 'text/rtf text/richtext application/msword');
export const pages = safe('office', 'application/vnd.apple.pages', 'pages', inZip);
export const numbers = safe('office', 'application/vnd.apple.numbers', 'numbers', inZip);
export const keynote = safe('office', 'application/vnd.apple.keynote', 'key', inZip);
export const msg = safe(undefined, 'application/vnd.ms-outlook', 'msg');

export const txt = safe('text', 'text/plain', 'txt text log');
// Windows with Excel declares CSV like this.
const excel = 'application/vnd.ms-excel text/comma-separated-values text/x-csv application/csv';
export const csv = safe('text', 'text/csv', 'csv tsv', `${excel} text/tab-separated-values`);
export const markdown = safe('text', 'text/markdown', 'md markdown', 'text/x-markdown');
export const json = safe('text', 'application/json', 'json geojson', 'text/json');
export const ics = safe('text', 'text/calendar', 'ics');
export const vcf = safe('text', 'text/vcard', 'vcf', 'text/x-vcard text/directory');

export const mp3 = safe('audio', 'audio/mpeg', 'mp3 mpga', 'audio/mp3 audio/x-mp3');
export const m4a = safe('audio', 'audio/mp4', 'm4a m4b', 'audio/x-m4a audio/m4a video/mp4 audio/aac');
export const wav = safe('audio', 'audio/wav', 'wav wave', 'audio/x-wav audio/wave audio/vnd.wave');
export const ogg = safe('audio', 'audio/ogg', 'ogg oga opus spx', 'application/ogg audio/opus video/ogg');
export const flac = safe('audio', 'audio/flac', 'flac', 'audio/x-flac');
export const aac = safe('audio', 'audio/aac', 'aac', 'audio/x-aac audio/vnd.dlna.adts');
export const amr = safe('audio', 'audio/amr', 'amr');
export const aiff = safe('audio', 'audio/aiff', 'aif aiff aifc', 'audio/x-aiff');
export const weba = safe('audio', 'audio/webm', 'weba', 'video/webm');
export const mka = safe('audio', 'audio/x-matroska', 'mka', 'audio/matroska video/x-matroska');
export const wma = safe('audio', 'audio/x-ms-wma', 'wma');

export const mp4 = safe('video', 'video/mp4', 'mp4 m4v', 'video/x-m4v audio/mp4 application/mp4');
export const mov = safe('video', 'video/quicktime', 'mov qt');
export const webm = safe('video', 'video/webm', 'webm', 'audio/webm');
export const mkv = safe('video', 'video/x-matroska', 'mkv', 'video/matroska');
export const avi = safe('video', 'video/x-msvideo', 'avi', 'video/avi video/msvideo');
export const gpp = safe('video', 'video/3gpp', '3gp 3gpp 3g2', 'audio/3gpp video/3gpp2');
export const mpeg = safe('video', 'video/mpeg', 'mpg mpeg mpe', 'video/mp2t');
export const ogv = safe('video', 'video/ogg', 'ogv ogm', 'audio/ogg application/ogg');
export const wmv = safe('video', 'video/x-ms-wmv', 'wmv asf', 'video/x-ms-asf');

const harmful = (type: string, name: string, endings: string, alsoCalled = '') =>
  kind(undefined, true, type, endings, alsoCalled, name);
const archive = (type: string, endings: string, alsoCalled = '') =>
  kind('archive', true, type, endings, alsoCalled);

export const zip = archive('application/zip', 'zip', 'application/x-zip-compressed application/x-zip');
export const gzip = archive('application/gzip', 'gz tgz', 'application/x-gzip application/x-compressed');
export const tar = archive('application/x-tar', 'tar');
export const sevenZip = archive('application/x-7z-compressed', '7z');
export const rar = archive('application/vnd.rar', 'rar', 'application/x-rar-compressed application/x-rar');
export const bzip2 = archive('application/x-bzip2', 'bz2 tbz2 bz', 'application/x-bzip');
export const xz = archive('application/x-xz', 'xz txz');
export const zstd = archive('application/zstd', 'zst');
export const cab = archive('application/vnd.ms-cab-compressed', 'cab');
archive('application/octet-stream', 'ace arj lha lzh lz lzma z cpio wim');

// What a system runs or opens by itself, by what it is to whoever gets it.
export const html = harmful(
  'text/html',
  'html',
  'html htm shtml xhtml xht mht mhtml',
  'application/xhtml+xml message/rfc822 multipart/related',
);
export const svg = harmful('image/svg+xml', 'svg', 'svg svgz', 'text/plain text/xml application/xml');
export const xml = harmful('application/xml', 'xml', 'xml xsl xslt', 'text/xml text/plain');
export const script = harmful(
  'text/x-script',
  'script',
  'js mjs cjs jse jsx vbs vbe vb wsf wsh wsc ws sct ps1 ps1xml ps2 psm1 psd1 psc1 bat cmd sh bash zsh csh ksh fish command ' +
    'php phtml php3 php4 php5 php7 phar py pyw pyc pyz pl pm rb asp aspx ashx asmx jsp jspx cgi tcl lua applescript scpt scptd vbscript msh pyo pyzw reg inf ins isp swf ' +
    'hta htc htaccess htpasswd',
  'text/javascript application/javascript application/x-javascript application/ecmascript application/x-sh ' +
    'application/x-shellscript text/x-sh text/x-python text/x-php application/x-php application/x-httpd-php ' +
    'application/x-bat application/x-shockwave-flash text/plain',
);
export const program = harmful(
  'application/vnd.microsoft.portable-executable',
  'program',
  'exe com scr pif dll sys cpl ocx drv msi msp mst msc msu msix msixbundle appx appxbundle appinstaller appref-ms application gadget ' +
    'jar class war apk aab xapk ipa dex deb rpm pkg mpkg app appimage run bin elf so dylib wasm xpi crx xll wll chm hlp gms ' +
    'bas ade adp diagcab theme themepack mobileconfig shb shs vsto wsb xbap',
  'application/x-msdownload application/x-dosexec application/x-executable application/x-elf application/x-mach-binary ' +
    'application/java-archive application/x-java-applet application/vnd.android.package-archive application/x-msi ' +
    'application/x-ms-installer application/vnd.debian.binary-package application/x-debian-package ' +
    'application/x-rpm application/wasm application/exe application/x-exe',
);
export const shortcut = harmful(
  'application/x-ms-shortcut',
  'shortcut',
  'lnk url webloc desktop scf website rdp jnlp library-ms search-ms searchconnector-ms settingcontent-ms inetloc fileloc ' +
    'iqy oqy rqy dqy slk',
  'application/x-mswinurl application/x-desktop text/uri-list text/plain',
);
export const disk = harmful(
  'application/x-iso9660-image',
  'disk',
  'iso img dmg vhd vhdx vmdk udf toast vdi qcow2',
  'application/x-apple-diskimage application/x-cd-image application/x-raw-disk-image',
);
export const macro = harmful(
  'application/vnd.ms-office',
  'macro',
  'docm dotm doc dot xlsm xltm xlam xlsb xla xlm xls xlt pptm potm ppsm ppam sldm ppt pot pps odt ods odp mdb accdb accde mde one onepkg pub',
  'application/vnd.ms-word.document.macroenabled.12 application/vnd.ms-word.template.macroenabled.12 ' +
    'application/vnd.ms-excel.sheet.macroenabled.12 application/vnd.ms-excel.template.macroenabled.12 ' +
    'application/vnd.ms-excel.addin.macroenabled.12 application/vnd.ms-excel.sheet.binary.macroenabled.12 ' +
    'application/vnd.ms-powerpoint.presentation.macroenabled.12 application/vnd.ms-powerpoint.slideshow.macroenabled.12 ' +
    'application/vnd.ms-powerpoint.template.macroenabled.12 application/vnd.ms-powerpoint.addin.macroenabled.12 ' +
    'application/msword application/vnd.ms-excel application/vnd.ms-powerpoint application/msaccess application/onenote',
);

export const kinds: readonly Kind[] = known;
export const groups: readonly Group[] = ['image', 'office', 'text', 'audio', 'video', 'archive'];

const indexed = (namesOf: (kind: Kind) => readonly string[]): ReadonlyMap<string, readonly Kind[]> => {
  const index = new Map<string, Kind[]>();
  for (const one of known) {
    for (const name of namesOf(one)) index.set(name, [...(index.get(name) ?? []), one]);
  }
  return index;
};

const byEnding = indexed(({ endings }) => endings);
const byType = indexed(({ type, alsoCalled }) => [type, ...alsoCalled]);
/** Says nothing of a file. */
const ofAnything = 'application/octet-stream';

const none: readonly Kind[] = [];
export const kindsEnding = (ending: string): readonly Kind[] => byEnding.get(ending) ?? none;
export const kindsCalled = (type: string): readonly Kind[] =>
  type === ofAnything ? none : (byType.get(type) ?? none);
