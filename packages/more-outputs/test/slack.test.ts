import { holdsPromisesOfChats } from '../../../test/support/chat_suite.ts';
import { slack } from '../../../test/support/slack.ts';

holdsPromisesOfChats(slack);
