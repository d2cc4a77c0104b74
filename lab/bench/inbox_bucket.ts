/** A bucket in a process of its own: `npx tsx lab/bench/inbox_bucket.ts SUBMISSIONS`. It lists and gives, and says how often. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentAt } from './inbox_documents.ts';

const most = Number(process.argv[2]);
const keys: string[] = [];
/** The content of each key. */
const texts = new Map<string, () => string>();
const put = (nth: number, at?: number) => {
  const { folder, name } = documentAt(nth, at);
  keys.push(`${folder}/${name}`);
  texts.set(`${folder}/${name}`, () => documentAt(nth, at).text);
};
for (let nth = 0; nth < most; nth += 1) put(nth);
keys.sort();
const asked = { lists: 0, objects: 0 };

/** The first key after the marker. */
function startOf(marker: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) > marker) high = middle;
    else low = middle + 1;
  }
  return low;
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://bucket');
  if (url.pathname === '/-/asked') return response.end(JSON.stringify(asked));
  if (url.pathname === '/-/put') {
    put(Number(url.searchParams.get('nth')), Number(url.searchParams.get('at')));
    keys.sort();
    return response.end();
  }
  const key = decodeURIComponent(url.pathname.replace(/^\/archive\/?/, ''));
  if (key !== '') {
    asked.objects += 1;
    const text = texts.get(key)?.();
    return response
      .writeHead(text === undefined ? 404 : 200)
      .end(text ?? '<Error><Code>NoSuchKey</Code></Error>');
  }
  asked.lists += 1;
  const prefix = url.searchParams.get('prefix') ?? '';
  const from = startOf(url.searchParams.get('marker') || prefix);
  const page = keys.slice(from, from + 1_000).filter((one) => one.startsWith(prefix));
  const isCut = page.length === 1_000 && from + 1_000 < keys.length;
  const contents = page.map((one) => `<Contents><Key>${encodeURIComponent(one)}</Key></Contents>`).join('');
  return response.end(
    `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${contents}</ListBucketResult>`,
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
