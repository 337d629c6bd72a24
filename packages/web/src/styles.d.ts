// Components import their styles; vite makes files of them.
declare module "*.css";
