import { holdsPromisesOfChats } from '../../../test/support/chat_suite.ts';
import { slack } from '../../../test/support/slack.ts';

holdsPromisesOfChats({
  type: 'slack',
  keys: (origin) => ({ url: slack.url(origin) }),
  taken: 'ok',
  broken: (request) => {
    const { status = 200, body } = slack.answer(request);
    return status === 200 ? [] : [String(body)];
  },
  read: slack.read,
  refusals: Object.fromEntries(
    slack.refusals.map(({ name, answer, says, waitsMs }) => [name, [answer, says, waitsMs]]),
  ),
});
