import { mount } from 'svelte';
import Other from './Other.svelte';
import Own from './Own.svelte';
import Printed from './Printed.svelte';
import Tag from './Tag.svelte';

const Page = { '/tag/': Tag, '/printed/': Printed, '/own/': Own }[location.pathname] ?? Other;
mount(Page, { target: document.getElementById('app') });
