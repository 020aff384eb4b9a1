import { render } from 'preact';
import { App } from './app.js';
import { findSession, signIn, takeTokenFromAddress } from './session.js';
import './theme.css';

const token = takeTokenFromAddress();
void (token === undefined ? findSession() : signIn(token));

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
