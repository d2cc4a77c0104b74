/**
 * The studio's page: shows what the server says, without a reload. The server renders everything; this moves it to
 * where it belongs, and keeps what the owner typed and opened.
 */
import './client/live_form.ts';
import './client/live_page.ts';
import './client/story_list.ts';
import './client/scenes.ts';
import './client/events.ts';
