document.body.append("stash index");
