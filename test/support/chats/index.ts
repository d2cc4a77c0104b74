import type { ChatService } from './chat_service.ts';
import { slack } from './slack.ts';

export const chatServices: readonly ChatService[] = [slack];
