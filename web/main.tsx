import { render } from 'preact';
import { App } from './app.js';
import { watchSight } from './in-sight.js';
import { findSession, signIn, takeTokenFromAddress, watchOtherTabs } from './session.js';
import './theme.css';

const token = takeTokenFromAddress();
void (token === undefined ? findSession() : signIn(token));

watchOtherTabs();
watchSight();

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
