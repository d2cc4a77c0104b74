import { createApp } from 'vue';
import Other from './Other.vue';
import Own from './Own.vue';
import Printed from './Printed.vue';
import Tag from './Tag.vue';

createApp({ '/tag/': Tag, '/printed/': Printed, '/own/': Own }[location.pathname] ?? Other).mount('#app');
