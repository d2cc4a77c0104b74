import 'form-relay/element';
import './main.jsx';
