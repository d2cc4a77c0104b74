import { holdsPromisesOfChats, type Json, jsonOf, unheld } from '../test/support/chat_suite.ts';

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/cards and …/spaces.messages: 32,000 bytes, 100 widgets. */
holdsPromisesOfChats({
  type: 'google_chat',
  keys: (origin) => ({ url: `${origin}/v1/spaces/AAAA/messages?key=XXXX&token=XXXX%3D` }),
  taken: '{"name":"spaces/AAAA/messages/1.1"}',
  broken: (request) => {
    const { pathname, searchParams } = new URL(request.url, 'http://chat.test');
    const { cardsV2, ...others } = jsonOf(request);
    const [{ widgets }] = cardsV2[0].card.sections;
    return unheld({
      address: pathname === '/v1/spaces/AAAA/messages' && searchParams.get('token') === 'XXXX=',
      'the id of the request': /^[\w-]+$/.test(searchParams.get('requestId') ?? ''),
      size: request.bytes.length <= 32_000,
      card: cardsV2.length === 1 && cardsV2[0].cardId !== '' && Object.keys(others).length === 0,
      widgets:
        widgets.length > 0 && widgets.length <= 100 && widgets.every((one: Json) => one.textParagraph.text),
    });
  },
  read: (request) => {
    const alive: string[] = [];
    const plain = (html: string) => {
      const text = html.replaceAll('<br>', '\n');
      alive.push(...(text.match(/<[^>]*>?|&(?!amp;|lt;|gt;)/g) ?? []));
      return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    };
    const { widgets } = jsonOf(request).cardsV2[0].card.sections[0];
    const [title, ...rest]: string[] = widgets.map(({ textParagraph }: Json) => textParagraph.text);
    const rows = rest.map((one) => /^<b>(.*?)<\/b><br>(.*)$/s.exec(one) ?? one);
    return {
      title: plain(/^<b>(.*)<\/b>$/s.exec(title ?? '')?.[1] ?? '<no title>'),
      entries: rows.flatMap((one) =>
        typeof one === 'string' ? [] : [[plain(one[1] ?? ''), plain(one[2] ?? '')] as const],
      ),
      footer: rows.flatMap((one) => (typeof one === 'string' ? [plain(one)] : [])),
      alive,
    };
  },
  refusals: {
    'no such space': [
      { status: 404, body: '{"error":{"code":404,"message":"Ada","status":"NOT_FOUND"}}' },
      'the server answered 404 (NOT_FOUND)',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '2' } },
      'the server answered 429',
      2_000,
    ],
    'too many, without a time': [
      { status: 429, body: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}' },
      'the server answered 429 (RESOURCE_EXHAUSTED)',
      1,
    ],
    'an error with 200': [
      { body: '{"error":{"code":400,"status":"INVALID_ARGUMENT"}}' },
      'the service answered that it rejected the request (INVALID_ARGUMENT)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
});
